#!/usr/bin/env bats
# tt_smi serve: server-sent events.

load helpers

@test "a stream has a document for each sample; addresses share the limit, and streams that ended do not count" {
	start -b n150
	serve
	client share "$PORT"
	eventually streams_of_one_address # when the server has noticed the end of these
	eventually client follow "$PORT"
	metrics
	[ "$(status /api/v1/stream --head)" = 200 ]
	end_server
	not grep -v 'serving http' "$WORK/log"
}

streams_of_one_address() {
	[ "$(client streams "$PORT" 40)" = "32 429" ]
}

@test "a stream that is not read skips samples, and costs no memory" {
	start -b galaxy-wormhole
	serve
	growth=$(client skip "$PORT" "$SERVER")
	echo "$growth KB more"
	[ -n "$TT_SANITIZE" ] || [ "$growth" -lt 8192 ]
	metrics
}
