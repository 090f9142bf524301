#!/usr/bin/env bats
# tt_smi serve: HTTPS.

load helpers

setup() {
	make_work
	command -v openssl >/dev/null || skip "openssl is not installed"
}

# certificate NAME [KEY OPTIONS]: creates $WORK/NAME.crt and $WORK/NAME.key, for localhost.
certificate() {
	local name=$1
	shift
	[ $# != 0 ] || set -- ec -pkeyopt ec_paramgen_curve:P-256
	openssl req -x509 -newkey "$@" -nodes -keyout "$WORK/$name.key" -out "$WORK/$name.crt" -days 2 -subj "/CN=$name" \
		-addext subjectAltName=DNS:localhost,IP:127.0.0.1 2>/dev/null
	chmod 600 "$WORK/$name.key"
}

# serve_tls NAME [OPTIONS]: starts the server with copies of that certificate and key.
serve_tls() {
	install_pair "$1"
	shift
	"$TT_SMI" serve --root "$D" --listen 127.0.0.1:0 --tls-cert "$WORK/tls.crt" --tls-key "$WORK/tls.key" "$@" \
		2>"$WORK/log" 3>&- &
	SERVER=$!
	STARTED="$STARTED $SERVER"
	eventually grep -q 'serving https' "$WORK/log"
	PORT=$(sed -n 's,.*https://127.0.0.1:\([0-9]*\)/.*,\1,p' "$WORK/log")
	eventually ready
}

install_pair() {
	cp "$WORK/$1.crt" "$WORK/tls.crt"
	cp -p "$WORK/$1.key" "$WORK/tls.key"
}

# https NAME PATH [OPTIONS]: requests a page as a client that trusts only this certificate.
https() {
	local name=$1 path=$2
	shift 2
	curl -sS --max-time 300 --cacert "$WORK/$name.crt" "$@" "https://localhost:$PORT$path" 2>>"$WORK/curl"
}

ready() {
	[ "$(curl -sk -o "$WORK/answer" -w '%{http_code}' "https://localhost:$PORT/readyz")" = 200 ]
}

# shake OPTIONS: makes a TLS handshake with these options of openssl.
shake() {
	openssl s_client -connect "127.0.0.1:$PORT" "$@" </dev/null 2>&1 || true
}

reloaded() { # TIMES
	[ "$(grep -c 'tls.crt: reloaded' "$WORK/log")" = "$1" ]
}

@test "metrics, documents and streams over TLS 1.3 and 1.2, and nothing older" {
	start -b n300,p150a
	certificate one
	certificate other
	serve_tls one
	https one /metrics | grep -q '^ttsmi_device_up{'
	https one /metrics --tls-max 1.2 | grep -q '^ttsmi_device_up{'
	https one /api/v1/snapshot | jq -e '.devices | length >= 2'
	[ "$(https one /api/v1/stream -N --max-time 300 | grep -m 2 -c '^data: ')" = 2 ]
	not https other /metrics
	not curl -sS --max-time 300 "http://127.0.0.1:$PORT/metrics" 2>/dev/null
	[ "$(https one /metrics -o "$WORK/answer" -w '%{http_code}' -H 'Host: rebound.example.com')" = 421 ]
	[ "$(https one /metrics -o "$WORK/answer" -w '%{http_code}' -H "Host: [::1]:$PORT")" = 200 ]
	[[ $(shake -tls1_2 -cipher ECDHE-ECDSA-AES128-GCM-SHA256) == *"Cipher is ECDHE-ECDSA-AES128-GCM-SHA256"* ]]
	[[ $(shake -tls1 -cipher ALL:@SECLEVEL=0) == *"Cipher is (NONE)"* ]]
	[[ $(shake -tls1_1 -cipher ALL:@SECLEVEL=0) == *"Cipher is (NONE)"* ]]
	# No CBC; and, for an RSA key, no key exchange without forward secrecy.
	[[ $(shake -tls1_2 -cipher ECDHE-ECDSA-AES128-SHA256:@SECLEVEL=0) == *"Cipher is (NONE)"* ]]
	certificate rsa rsa:2048
	install_pair rsa
	kill -HUP "$SERVER"
	eventually reloaded 1
	[[ $(shake -tls1_2 -cipher ECDHE-RSA-AES128-GCM-SHA256) == *"Cipher is ECDHE-RSA-AES128-GCM-SHA256"* ]]
	[[ $(shake -tls1_2 -cipher AES128-GCM-SHA256:@SECLEVEL=0) == *"Cipher is (NONE)"* ]]
	end_server
	not grep -v 'serving https\|reloaded' "$WORK/log"
}

@test "SIGHUP loads a new certificate for new connections, and keeps the old one if the files are bad" {
	start -b n150 --no-workloads
	certificate one
	certificate two rsa:2048
	serve_tls one
	install_pair two
	kill -HUP "$SERVER"
	eventually reloaded 1
	https two /healthz
	not https one /healthz
	echo nonsense >"$WORK/tls.crt"
	kill -HUP "$SERVER"
	eventually grep -q 'tls.crt: no certificate in PEM format: .*; still using the previous certificate' "$WORK/log"
	https two /healthz
	cp "$WORK/one.crt" "$WORK/tls.crt"
	kill -HUP "$SERVER"
	eventually grep -q "tls.key: it is not the key of the certificate in $WORK/tls.crt; still using the previous certificate" "$WORK/log"
	https two /healthz
	end_server
}

# A connection that was opened before a reload stays open.
@test "a stream continues over a reload" {
	start -b n150 --no-workloads
	certificate one
	certificate two
	serve_tls one
	https one /api/v1/stream -N >"$WORK/events" 3>&- &
	STARTED="$! $STARTED"
	events() { [ "$(grep -c '^data: ' "$WORK/events")" -ge "$1" ]; }
	eventually events 1
	install_pair two
	kill -HUP "$SERVER"
	eventually reloaded 1
	count=$(grep -c '^data: ' "$WORK/events")
	eventually events $((count + 2))
}

@test "handshakes that stall are hung up, and others are served meanwhile" {
	start -b n150 --no-workloads
	certificate one
	serve_tls one
	"$PYTHON" "$BATS_TEST_DIRNAME/login.py" stall "$PORT"
	https one /metrics >"$WORK/metrics"
	end_server
	not grep -v 'serving https' "$WORK/log"
}

@test "files that cannot be used are named, with the reason" {
	start -b n150 --no-workloads
	certificate one
	certificate two
	refused() { # TEXT CERTIFICATE KEY
		expect_error 1 "$1" serve --listen 127.0.0.1:0 --tls-cert "$WORK/$2" --tls-key "$WORK/$3"
	}
	refused "$WORK/none.crt: No such file or directory" none.crt one.key
	refused "$WORK/none.key: No such file or directory" one.crt none.key
	refused "$WORK/one.key: no certificate in PEM format" one.key one.key
	chmod 640 "$WORK/one.crt"
	refused "$WORK/one.crt: no private key in PEM format" one.crt one.crt
	refused "$WORK/two.key: it is not the key of the certificate in $WORK/one.crt" one.crt two.key
	openssl ec -aes128 -passout pass:x -in "$WORK/one.key" -out "$WORK/locked.key" 2>/dev/null
	refused "$WORK/locked.key: it is encrypted; tt_smi serve needs a key without passphrase" one.crt locked.key
	chmod 644 "$WORK/one.key"
	refused "$WORK/one.key: every user has access to it; restrict it with: chmod 640" one.crt one.key
	chmod 660 "$WORK/one.key"
	refused "$WORK/one.key: its group may change it" one.crt one.key
	expect_error 2 '--tls-cert needs --tls-key too' serve --tls-cert "$WORK/one.crt"
	expect_error 2 '--tls-key needs --tls-cert too' serve --tls-key "$WORK/one.key"
}
