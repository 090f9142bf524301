# Common to the tests of tt_smi serve: a server for the machine at $D, and clients.

load ../cli/helpers

SERVER=
PYTHON=/usr/bin/python3 # the interpreter for which Debian's python3-prometheus-client is installed
export PYTHONDONTWRITEBYTECODE=1

# serve [OPTIONS]: starts the server; returns when it has a sample, with its port in $PORT. $SERVE can
# name another program than tt_smi serve.
serve() {
	${SERVE:-"$TT_SMI" serve} --root "$D" --listen 127.0.0.1:0 "$@" 2>"$WORK/log" 3>&- &
	SERVER=$!
	STARTED="$STARTED $SERVER"
	eventually grep -q 'serving http' "$WORK/log"
	PORT=$(sed -n 's,.*http://127.0.0.1:\([0-9]*\)/.*,\1,p' "$WORK/log")
	eventually get /readyz -o "$WORK/ready"
}

# Ends the server, and reaps it.
end_server() {
	kill "$SERVER"
	wait "$SERVER"
	STARTED=
}

get() { # PATH [OPTIONS OF CURL]
	local path=$1
	shift
	curl -sS --fail --max-time 300 "$@" "http://127.0.0.1:$PORT$path" 2>>"$WORK/curl"
}

# metrics [OPTIONS]: writes the metrics to $WORK/metrics.
metrics() {
	get /metrics "$@" >"$WORK/metrics"
}

# status PATH [OPTIONS]: prints the HTTP status of the answer.
status() {
	local path=$1
	shift
	curl -sS -o "$WORK/answer" -w '%{http_code}' --max-time 300 "$@" "http://127.0.0.1:$PORT$path"
}

has() { # PATTERN
	metrics && grep -q "$1" "$WORK/metrics"
}

lacks() { # PATTERN
	metrics && not grep -q "$1" "$WORK/metrics"
}

client() {
	"$PYTHON" "$BATS_TEST_DIRNAME/client.py" "$@"
}

# users NAME PASSWORD [COST]: writes $WORK/users with this user.
users() {
	command -v htpasswd >/dev/null || skip "htpasswd (package apache2-utils) is not installed"
	htpasswd -iBc -C "${3:-5}" "$WORK/users" "$1" <<<"$2" 2>/dev/null
}
