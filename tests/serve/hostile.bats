#!/usr/bin/env bats
# tt_smi serve: clients that are slow, huge or many.

load helpers

@test "a client that sends its request slowly is hung up, others are served" {
	start -b n150 --no-workloads
	serve
	client slow "$PORT"
	metrics
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
