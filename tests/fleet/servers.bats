#!/usr/bin/env bats
# tt_smi fleet with servers that hang, send false data, refuse requests or are not Prometheus.

load helpers

# fails CODE TEXT [OPTIONS]: tt_smi fleet ends in time with this code, one line on standard error and no output.
fails() {
	local code=$1 text=$2
	shift 2
	D=$WORK
	status=0
	timeout -k 5 300 "$TT_SMI" fleet --prometheus "$URL" "$@" >"$WORK/out" 2>"$WORK/err" 3>&- || status=$?
	echo "status $status, not $code; stderr: $(cat "$WORK/err")"
	[ "$status" = "$code" ]
	grep -qF -- "$text" "$WORK/err"
	[ "$(wc -l <"$WORK/err")" = 1 ]
	[ ! -s "$WORK/out" ]
	not grep -q $'\x1b' "$WORK/err"
}

@test "a server that is not there, and one that hangs" {
	URL=http://127.0.0.1:$("$PYTHON" "$BATS_TEST_DIRNAME/server.py" port)
	fails 16 "$URL/api/v1/query: "
	fake hang
	fails 16 "$URL/api/v1/query: no answer within 0.5 s" --timeout 0.5
	URL=http://name.invalid:9090
	fails 16 "$URL/api/v1/query: "
}

# The name is resolved by a function that takes longer than the test may.
@test "a name server that hangs" {
	command -v cc >/dev/null || skip "there is no compiler to make a slow resolver with"
	case $(ldd "$(dirname "$TT_SMI")/tt_smi-fleet") in *libasan* | *libtsan*) skip "a sanitizer must be loaded first" ;; esac
	cat >"$WORK/slow.c" <<-'END'
		#include <netdb.h>
		#include <unistd.h>
		int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **res)
		{
			(void)node, (void)service, (void)hints, (void)res;
			sleep(300);
			return EAI_AGAIN;
		}
	END
	cc -shared -fPIC -o "$WORK/slow.so" "$WORK/slow.c"
	URL=http://slow.example:9090
	LD_PRELOAD=$WORK/slow.so fails 16 "$URL/api/v1/query: no answer within 0.5 s" --timeout 0.5
}

@test "answers that are no answers" {
	for mode in garbage half deep; do
		fake "$mode"
		fails 16 "$URL/api/v1/query: the answer is not that of a Prometheus server"
	done
	fake cut
	fails 16 "$URL/api/v1/query: "
	fake huge
	fails 16 "$URL/api/v1/query: the answer has more than 32 MB" --timeout 60
}

@test "statuses" {
	fake status 503
	fails 16 "$URL/api/v1/query: HTTP status 503: upstream "
	fake status 404
	fails 16 "HTTP status 404"
	fake status 403
	fails 4 "HTTP status 403; use --token-file or --user-file"
	for status in 400 422 503; do
		fake refuse "$status"
		fails 16 "$URL/api/v1/query: the server refuses the query: query "
		grep -q 'timed out' "$WORK/err"
	done
}

@test "a server below a path of a proxy" {
	fake below /prometheus/eu
	server=$URL
	fails 16 "$server/api/v1/query: HTTP status 404"
	for path in /prometheus/eu /prometheus/eu/; do
		URL=$server$path
		fails 6 "tt_smi: $server/prometheus/eu: no machines"
	done
}

# The other server must not see the token.
@test "a redirection is not followed" {
	fake auth "Bearer t"
	fake redirect "$URL"
	echo t >"$WORK/token"
	fails 16 "a redirection" --token-file "$WORK/token"
}

@test "tokens and passwords come from files, and are in no message and on no command line" {
	fake auth "Bearer s3cret-token"
	echo s3cret-token >"$WORK/token"
	fails 4 "HTTP status 401; use --token-file"
	fails 6 "no machines" --token-file "$WORK/token"
	echo s3cret-other >"$WORK/token"
	fails 4 "does not accept these credentials" --token-file "$WORK/token"
	not grep -q s3cret "$WORK/err"
	fake auth "Basic $(printf 'user:s3cret:x' | base64)"
	echo user:s3cret:x >"$WORK/user"
	fails 6 "no machines" --user-file "$WORK/user"
	URL=http://user:s3cret@127.0.0.1:1
	fails 2 "a URL with a user is refused"
	not grep -q s3cret "$WORK/err"
}

@test "files of credentials that cannot be used" {
	fake auth "Bearer t"
	fails 2 "--token-file: cannot read $WORK/none: No such file" --token-file "$WORK/none"
	: >"$WORK/token"
	fails 2 "is empty" --token-file "$WORK/token"
	printf 'a\nHost: evil\n' >"$WORK/token"
	fails 2 "more than one line" --token-file "$WORK/token"
	echo nobody >"$WORK/user"
	fails 2 "is not USER:PASSWORD" --user-file "$WORK/user"
	fails 2 "mutually exclusive" --user-file "$WORK/user" --token-file "$WORK/token"
	chmod 0 "$WORK/token"
	run mortal "$TT_SMI" fleet --prometheus "$URL" --token-file "$WORK/token" 3>&-
	[ "$status" = 4 ]
}

@test "TLS: a certificate is trusted only if it is named" {
	command -v openssl >/dev/null || skip "openssl is not installed"
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 \
		-keyout "$WORK/key" -out "$WORK/cert" 2>/dev/null
	cat "$WORK/cert" "$WORK/key" >"$WORK/both"
	echo t >"$WORK/token"
	fake tls "$WORK/both" "Bearer t"
	URL=https${URL#http}
	fails 16 "$URL/api/v1/query: SSL certificate problem" --token-file "$WORK/token"
	fails 6 "no machines" --token-file "$WORK/token" --ca-file "$WORK/cert"
}

@test "usage errors" {
	D=$WORK
	run "$TT_SMI" fleet 3>&-
	[ "$status" = 2 ] && [ "$output" = "tt_smi: no server to query: use --prometheus URL, or set TT_SMI_PROMETHEUS" ]
	URL=ftp://127.0.0.1
	fails 2 "is neither http nor https"
	URL=http://127.0.0.1:1
	fails 2 '--match: "rack=a" is not a list of label matchers' --match rack=a
	fails 2 "--json and --csv are mutually exclusive" --json --csv
	fails 2 "--timeout" --timeout never
}

# Labels have control characters of terminals, and characters that end CSV lines and JSON strings.
@test "labels of any kind break no terminal, no JSON and no CSV" {
	fake hostile
	for look in --all "--all --ascii" "--all --color always"; do
		# shellcheck disable=SC2086 # words
		fleet $look >"$WORK/table"
		"$PYTHON" - "$WORK/table" <<-'END'
			import re, sys
			text = open(sys.argv[1], newline="").read()
			text = re.sub(r"\x1b\[[0-9;]*m", "", text) if "\x1b[0m" in text or "\x1b[m" in text else text
			assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", text), ascii(text)
			assert max(map(len, text.splitlines())) <= 102
			assert "evil" in text and "ok" in text
		END
	done
	fleet --json=compact >"$WORK/json"
	[ "$(wc -l <"$WORK/json")" = 1 ]
	not grep -qP '[\x00-\x09\x0b-\x1f\x7f]' "$WORK/json"
	[ "$(jq '.machines | length' "$WORK/json")" = 2 ]
	[ "$(jq '[.machines[].instance | length] | max > 5000' "$WORK/json")" = true ]
	fleet --csv >"$WORK/csv"
	"$PYTHON" - "$WORK/csv" <<-'END'
		import csv, sys
		rows = list(csv.reader(open(sys.argv[1], newline=""), strict=True))
		assert len(rows) == 3 and len({len(row) for row in rows}) == 1, rows
	END
}
