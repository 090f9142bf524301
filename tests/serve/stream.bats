#!/usr/bin/env bats
# tt_smi serve: server-sent events.

load helpers

@test "a stream has a document for each sample; there is a limit, and streams that ended do not count" {
	start -b n150
	serve
	[ "$(client streams "$PORT" 40)" = "32 429" ] # from one address
	eventually streams 90 "64 503" # from three, when the server has noticed the end of the first ones
	eventually client follow "$PORT"
	metrics
	[ "$(status /api/v1/stream --head)" = 200 ]
	end_server
	not grep -v 'serving http' "$WORK/log"
}

streams() { # COUNT RESULT
	[ "$(client streams "$PORT" "$1")" = "$2" ]
}

@test "a stream that is not read skips samples, and costs no memory" {
	start -b galaxy-wormhole
	serve
	growth=$(client skip "$PORT" "$SERVER")
	echo "$growth KB more"
	[ -n "$TT_SANITIZE" ] || [ "$growth" -lt 8192 ]
	metrics
}
