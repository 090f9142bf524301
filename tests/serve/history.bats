#!/usr/bin/env bats
# /api/v1/history of tt_smi serve: its schema, its values, its arguments, and the memory for an hour.

load helpers

# history [ARGUMENTS]: writes the document to $WORK/history.
history() {
	get "/api/v1/history${1:+?$1}" >"$WORK/history"
}

# knows JQ-CONDITION [ARGUMENTS]
knows() {
	history "${2:-}" && jq -e "$1" "$WORK/history" >"$WORK/jq"
}

@test "documents match docs/history-schema.json and have the values of the samples" {
	start -b n300,p150a -w dev=0,dram=3G,name=train
	serve
	eventually knows '[.devices[0].readings.power.high[] | numbers] | length >= 3' seconds=60
	[ "$(jq -c '[.step, (.devices | length), (.devices[0].readings | keys | length)]' "$WORK/history")" = '[1,3,8]' ]
	# the last value is that of the snapshot, to half a percent
	eventually same_power
	if ! "$PYTHON" -c 'import jsonschema' 2>/dev/null; then skip "python3-jsonschema is not installed"; fi
	history
	"$PYTHON" - "$WORK/history" "$BATS_TEST_DIRNAME/../../docs/history-schema.json" <<-'END'
		import json, sys
		import jsonschema
		document, schema = (json.load(open(path)) for path in sys.argv[1:])
		jsonschema.Draft202012Validator.check_schema(schema)
		jsonschema.Draft202012Validator(schema).validate(document)
		for device in document["devices"]:
		    for reading in filter(None, device["readings"].values()):
		        for side in reading.values():
		            assert len(side) == document["count"], (len(side), document["count"])
	END
}

same_power() {
	history 'device=0&metric=power&seconds=2' && get /api/v1/snapshot >"$WORK/snapshot" &&
		jq -en --slurpfile h "$WORK/history" --slurpfile s "$WORK/snapshot" \
			'($h[0].timestamp == $s[0].timestamp) and (($h[0].devices[0].readings.power.high[-1] - $s[0].devices[0].power) | fabs) < $s[0].devices[0].power / 200'
}

@test "arguments select device, metric and time; wrong ones are refused" {
	start -b n300,p150a --no-workloads
	serve
	eventually knows '.count == 5 and (.devices | length) == 1 and .devices[0].id == 1' 'device=1&seconds=5'
	eventually knows '(.metrics | keys) == ["temperature"] and ([.devices[].readings | keys[]] | unique) == ["temperature"]' metric=temperature
	eventually knows '.step == 6 and .devices[2].id == 1' ''
	[ "$(status '/api/v1/history?device=9')" = 404 ]
	[ "$(status '/api/v1/history?metric=color')" = 400 ]
	for seconds in 0 3601 -1 1x 99999999999999999999; do
		[ "$(status "/api/v1/history?seconds=$seconds")" = 400 ]
	done
	get /api/v1/history -H 'Accept-Encoding: gzip' -D "$WORK/headers" >"$WORK/packed"
	grep -qi '^content-encoding: gzip' "$WORK/headers"
	gzip -dc "$WORK/packed" | jq -e '.schema == "tt-smi-history"'
}

@test "it names no users and no commands" {
	start -b n150 -w dev=0,dram=1G,name=secretname,args=secretword,uid=4711
	serve
	eventually knows '.devices | length == 1'
	get /api/v1/snapshot | grep -q secretword
	not grep -q 'secret\|4711' "$WORK/history"
}

@test "a time in which the device did not answer is a gap" {
	needs_fuse
	start -b n150 --no-workloads --fault hang:0/temp1_input@1000
	serve
	eventually knows '.devices[0].readings.temperature.high[-1] != null' 'metric=temperature&seconds=60'
	next_fault
	eventually knows '.devices[0].readings.temperature.high | .[-1] == null and (map(numbers) | length > 0)' 'metric=temperature&seconds=60'
}

@test "an hour of 32 chips stays below 8 MB of private memory" {
	[ -z "$TT_SANITIZE" ] || skip "sanitizers need memory of their own"
	machine -b galaxy-wormhole
	rm -f "$D/simulated"
	export TT_CLOCK=$WORK/clock
	"$PYTHON" "$BATS_TEST_DIRNAME/hour.py" "$WORK" start
	SERVE=$TT_SERVE_CLOCKED serve
	"$PYTHON" "$BATS_TEST_DIRNAME/hour.py" "$WORK" run 3600
	eventually knows '[.devices[].readings.temperature.high | map(numbers) | length] | min >= 590'
	[ "$(jq '.devices | length' "$WORK/history")" = 32 ]
	private=$(awk '/^Private_(Clean|Dirty)/ { sum += $2 } END { print sum }' "/proc/$SERVER/smaps_rollup")
	echo "private: $private KB; document: $(wc -c <"$WORK/history") bytes, $(get /api/v1/history -H 'Accept-Encoding: gzip' | wc -c) packed"
	[ "$private" -lt 8192 ]
}
