#!/usr/bin/env bats
# tt_smi sim --fleet: many machines served by one process, alone and with Prometheus and
# VictoriaMetrics. FULL=1: a thousand machines with 32 chips.

load ../cli/helpers

PYTHON=/usr/bin/python3 # the interpreter for which Debian's python3-yaml is installed
export PYTHONDONTWRITEBYTECODE=1

if [ -n "$FULL" ]; then
	FLEET="1000 galaxy-wormhole"
else
	FLEET="50 n300,2xp150a"
fi

fleet() {
	"$PYTHON" "$BATS_TEST_DIRNAME/fleet.py" "$@" 3>&-
}

needs() { # PROGRAM PACKAGE
	command -v "$1" >/dev/null || skip "$1 (package $2) is not installed"
}

@test "machines have the series of tt_smi serve, faults where the manual says, and counters that grow" {
	fleet machines "$TT_SMI" "$WORK"
}

@test "Prometheus: faults raise alerts, and rules record what their expressions say" {
	needs prometheus prometheus
	# shellcheck disable=SC2086 # two words
	fleet engine prometheus "$TT_SMI" "$WORK" $FLEET
}

@test "VictoriaMetrics: faults raise alerts, and rules record what their expressions say" {
	needs victoria-metrics victoria-metrics
	needs vmalert victoria-metrics
	# shellcheck disable=SC2086 # two words
	fleet engine victoria "$TT_SMI" "$WORK" $FLEET
}

@test "options of --fleet, an address that is no loopback, and its end" {
	expect_error_of_sim "--listen needs --fleet" --listen 127.0.0.1:0 "$D"
	expect_error_of_sim "--fleet is mutually exclusive with a command and with --static" --fleet 2 -- true
	expect_error_of_sim "--fleet" --fleet 0
	expect_error_of_sim '"0.0.0.0:7763" is not ADDR:PORT with a loopback address' --fleet 2 --listen 0.0.0.0:7763
	"$TT_SMI_SIM" -b n150 --fleet 3 --listen 127.0.0.1:0 "$D" 2>"$WORK/log" 3>&- &
	STARTED=$!
	eventually grep -q 'serving 3 simulated machines' "$WORK/log"
	url=$(grep -o 'http://[^ ]*' "$WORK/log")
	[ "$(curl -sS "$url" | jq length)" = 3 ]
	[ "$(curl -sS -o "$WORK/answer" -w '%{http_code}' "${url%targets}machines/node0004/metrics")" = 404 ]
	[ "$(curl -sS -o "$WORK/answer" -w '%{http_code}' "${url%targets}machines/node1/metrics")" = 404 ]
	[ "$(curl -sS -o "$WORK/answer" -w '%{http_code}' -H 'Host: rebound.example.com' "$url")" = 421 ]
	[ "$(curl -sS -o "$WORK/answer" -w '%{http_code}' -X POST "$url")" = 405 ]
	kill "$STARTED"
	wait "$STARTED"
	STARTED=
	[ ! -e "$D" ]
}

expect_error_of_sim() { # TEXT [OPTIONS]
	local text=$1
	shift
	run "$TT_SMI_SIM" "$@" 3>&-
	echo "$output"
	[ "$status" = 2 ] && [[ $output == *"$text"* ]]
}
