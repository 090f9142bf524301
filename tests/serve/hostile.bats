#!/usr/bin/env bats
# tt_smi serve: clients that are slow, huge or many.

load helpers

@test "a client that sends its request slowly is hung up, others are served" {
	start -b n150 --no-workloads
	serve
	client slow "$PORT"
	metrics
}

# With a simulated clock that stands still, so that no budget is replenished.
@test "documents of the history get a share of the time, and so does each address; scrapes go on" {
	machine -b galaxy-wormhole
	rm -f "$D/simulated"
	export TT_CLOCK=$WORK/clock
	"$PYTHON" "$BATS_TEST_DIRNAME/hour.py" "$WORK" start
	SERVE=$TT_SERVE_CLOCKED serve
	history() {
		status /api/v1/history --interface "$1" -D "$WORK/headers"
	}
	spent() { # ADDRESS
		[ "$(history "$1")" != 200 ]
	}
	eventually spent 127.0.0.2
	[ "$(history 127.0.0.2)" = 429 ]
	grep -qi '^retry-after: 1' "$WORK/headers"
	[ "$(history 127.0.0.3)" = 200 ]
	eventually spent 127.0.0.3
	[ "$(history 127.0.0.4)" = 503 ] # two addresses have used the time of all
	grep -qi '^retry-after: 1' "$WORK/headers"
	metrics
	"$PYTHON" "$BATS_TEST_DIRNAME/hour.py" "$WORK" run 10
	[ "$(history 127.0.0.2)" = 200 ]
}

@test "huge requests and a thousand connections end where their limits are" {
	start -b n150 --no-workloads
	serve
	client huge "$PORT"
	served=$(client crowd "$PORT")
	echo "$served of 1000 connections were served"
	[ "$served" -ge 1 ] && [ "$served" -le 64 ]
	metrics
	end_server
	not grep -v 'serving http' "$WORK/log"
}

@test "connections of many addresses keep no other address out" {
	start -b n150 --no-workloads
	serve
	client occupy "$PORT"
	end_server
	not grep -v 'serving http' "$WORK/log"
}
