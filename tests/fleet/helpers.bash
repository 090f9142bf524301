# Common to the tests of tt_smi fleet: machines that are served and scraped, and fake servers.

load ../cli/helpers

TOP=$(realpath "$BATS_TEST_DIRNAME/../..")
PYTHON=/usr/bin/python3 # the interpreter for which Debian's python3-jsonschema is installed
export PYTHONDONTWRITEBYTECODE=1
unset TT_SMI_PROMETHEUS http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
TARGETS=

own_address() { # a random loopback address, where other programs do not take the port meanwhile
	echo "127.$((1 + RANDOM % 250)).$((RANDOM % 250)).$((1 + RANDOM % 250)):$("$PYTHON" "$BATS_TEST_DIRNAME/server.py" port)"
}

# add_machine NAME LABELS [OPTIONS OF SERVE]: serves the machine at $D, to be scraped under this name.
add_machine() {
	local name=$1 labels=$2 log=$WORK/serve.$1 address
	shift 2
	"$TT_SMI" serve --root "$D" --listen 127.0.0.1:0 "$@" 2>"$log" 3>&- &
	SERVED=$!
	STARTED="$STARTED $SERVED"
	eventually grep -q 'serving http' "$log"
	address=$(sed -n 's,.*http://\([^/]*\)/.*,\1,p' "$log")
	TARGETS="$TARGETS
      - { targets: [ \"$address\" ], labels: { instance: \"$name\"${labels:+, $labels} } }"
}

# prometheus [RULE FILE...]: starts a Prometheus that scrapes all added machines; its URL is $URL.
prometheus() {
	local address dir
	command -v prometheus >/dev/null || skip "prometheus is not installed"
	address=$(own_address)
	dir=$(mktemp -d "$WORK/prometheus.XXXXXX")
	URL=http://$address
	{
		echo "global: { scrape_interval: 1s, evaluation_interval: 1s }"
		echo "rule_files: [ $(printf '"%s", ' "$@" | sed 's/, $//; s/^""$//') ]"
		printf 'scrape_configs:\n  - job_name: tt_smi\n    static_configs:%s\n' "$TARGETS"
	} >"$dir/prometheus.yml"
	command prometheus --config.file="$dir/prometheus.yml" --storage.tsdb.path="$dir/tsdb" \
		--web.listen-address="$address" >"$dir/log" 2>&1 3>&- &
	STARTED="$! $STARTED"
}

# alerting_rules: writes the shipped rules without waiting times, and prints the name of the file. The rule about
# stalled firmware is changed so that it never fires, since it would for machines whose files do not change.
alerting_rules() {
	sed 's/^\( *for:\).*/\1 1s/; s/\(ttsmi_firmware_heartbeats_total.*\) == 0/\1 < 0/' "$TOP/share/prometheus/tt_smi.rules.yml" >"$WORK/rules.yml"
	echo "$WORK/rules.yml"
}

# fleet [OPTIONS]: runs tt_smi fleet with the server at $URL.
fleet() {
	"$TT_SMI" fleet --prometheus "$URL" "$@" 3>&-
}

# document FILTER VALUE: jq selects this value from the JSON document.
document() {
	[ "$(fleet --json=compact 2>/dev/null | jq -c "$1" 2>/dev/null)" = "$2" ]
}

# The result of a query is one number.
recorded() { # EXPRESSION NUMBER
	[ "$(curl -sS "$URL/api/v1/query" --data-urlencode "query=$1" | jq -r '.data.result[0].value[1]')" = "$2" ]
}

# fake MODE [ARGUMENT]: starts a server of server.py; its URL is $URL.
fake() {
	"$PYTHON" "$BATS_TEST_DIRNAME/server.py" "$@" >"$WORK/fake.port" 2>"$WORK/fake.log" 3>&- &
	STARTED="$STARTED $!"
	eventually test -s "$WORK/fake.port"
	URL=http://127.0.0.1:$(cat "$WORK/fake.port")
	rm "$WORK/fake.port"
}
