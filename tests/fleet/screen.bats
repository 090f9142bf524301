#!/usr/bin/env bats
# tt_smi fleet -w on a real terminal, with servers that answer, stall or stop.

load helpers
load ../terminal

teardown() {
	close_terminal
	clean_up
}

# open COLUMNSxROWS [OPTIONS]: opens the screen for the server at $URL.
open() {
	local size=$1
	shift
	open_terminal "$size" "LC_ALL=C.UTF-8 '$TT_SMI' fleet -w -r 1000 --prometheus '$URL' $* 2>'$WORK/err'; echo ended: \$?; exec sleep 600"
}


@test "a grid of chips over machines; pages are loaded as they are shown" {
	fake stall "$WORK/stalled" "$WORK/asked"
	open 120x24
	eventually shows '^FLEET  127.0.0.1:[0-9]*   1,000 machines   4,000 of 4,000 devices up'
	eventually shows '^> node0417 .*4/4 .*88°C' # the hottest one comes first
	eventually shows '^  node0000 .* 60°C .*60° .*60° .*60° .*60°$'
	shows ' 1 to 19 of 1000'
	# Only chips of machines on the screen were queried.
	not grep -q node0500 "$WORK/asked"
	grep -q node0000 "$WORK/asked"
	keys End
	eventually shows '^> node0999 .*60° .*60° .*60° .*60°$'
	shows ' 982 to 1000 of 1000'
	grep -q node0999 "$WORK/asked"
	not grep -q node0500 "$WORK/asked"
	keys g
	eventually shows '^> node0999 .*100W .*100W .*100W .*100W$'
	keys g
	eventually shows '^> node0999 .*25% .*25% .*25% .*25%$'
	keys Home
	eventually shows '^> node0417'
	keys q
	eventually shows 'ended: 0'
}

@test "Enter shows the chips of a machine, Esc all machines again" {
	fake stall "$WORK/stalled" "$WORK/asked"
	open 100x20
	eventually shows '^> node0417'
	keys Down Down Enter
	eventually shows '^─ node0001 ─'
	eventually shows '^ 3 .* up .*60°C .*100W .*25%'
	[ "$(screen | grep -c '^ [0-3] .* up ')" = 4 ]
	shows '^ alerts  N/A'
	keys Escape
	eventually shows '^> node0001 .*60°'
	shows '^  node0000 .*60°'
	keys h
	eventually shows 'chips show temperature, power or used DRAM'
	keys h
	eventually not shows 'chips show temperature'
	keys q
	eventually shows 'ended: 0'
}

@test "a server that stalls freezes nothing, and the screen says for how long" {
	touch "$WORK/stalled"
	fake stall "$WORK/stalled" "$WORK/asked"
	open 100x20 --timeout 60
	eventually shows 'no answer for [0-9]* s'
	keys h
	eventually shows 'query the server less often'
	keys h
	eventually not shows 'query the server less often'
	rm "$WORK/stalled"
	eventually shows '^> node0417 .*60°'
	eventually not shows 'no answer'
	touch "$WORK/stalled"
	eventually shows 'no answer for [0-9]* s'
	# The last values stay on the screen, and the selection moves.
	keys Down
	eventually shows '^> node0000 .*60°'
	keys Enter
	eventually shows '^─ node0000 ─'
	resize 80 12
	eventually flag window_height 12
	eventually shows '^─ node0000 ─'
	keys q
	eventually shows 'ended: 0'
	[ ! -s "$WORK/err" ]
}

@test "a server that goes away and comes back" {
	fake stall "$WORK/stalled" "$WORK/asked"
	gone=${STARTED##* }
	open 100x20
	eventually shows '^> node0417 .*60°'
	kill "$gone"
	wait "$gone" || true
	eventually shows 'no answer for [0-9]* s: http://127.0.0.1:[0-9]*/api/v1/query: '
	shows '^> node0417 .*60°'
	fake stall "$WORK/stalled" "$WORK/asked" "${URL##*:}"
	eventually not shows 'no answer'
	shows '^> node0417 .*60°'
	keys q
	eventually shows 'ended: 0'
}

@test "labels of any kind stay within their cells" {
	fake hostile
	open 100x20
	eventually shows 'evil'
	keys Down Enter
	eventually shows '^ DEVICE'
	eventually shows '^ evil'
	keys Up
	[ "$(screen | wc -l)" -le 20 ]
	eventually shows 'h help'
	keys q
	eventually shows 'ended: 0'
}

@test "a real Prometheus: a device that hangs is down, and its machine comes first" {
	needs_fuse
	D=$WORK/b
	machine -b n150 --no-workloads
	add_machine node-b ""
	D=$WORK/sim
	start -b n150,p150a --no-workloads --fault hang:1/temp1_input@1000
	add_machine node-a ""
	prometheus "$(alerting_rules)"
	eventually document '[.totals.devices_up, .totals.alerts]' '[3,0]'
	open 100x20
	eventually shows 'node-a .*2/2 .*[0-9]° .*[0-9]°$'
	eventually shows 'node-b .*1/1 .*[0-9]°$'
	next_fault
	eventually shows '^> node-a .*1/2 .*[0-9]° .*down$'
	keys Enter
	eventually shows '^ alerts  device down 1'
	eventually shows '^ 1 .*down .*N/A'
	keys q
	eventually shows 'ended: 0'
}

@test "-w needs a terminal, and is alone" {
	URL=http://127.0.0.1:1
	run fleet -w
	[ "$status" = 2 ] && [ "$output" = "tt_smi: -w needs a terminal" ]
	run fleet -w --json
	[ "$status" = 2 ] && [ "$output" = "tt_smi: -w and --json are mutually exclusive" ]
	run fleet who -w
	[ "$status" = 2 ] && [ "$output" = "tt_smi: -w and who are mutually exclusive" ]
}
