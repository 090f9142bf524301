#!/usr/bin/env bats
# tt_smi mem --plain on a terminal: refreshed in place, and the terminal is restored afterwards.
# tests/tui tests it as a full screen.

load helpers
load ../terminal

teardown() {
	close_terminal
	clean_up
}

# A shell in a terminal of 110 by 40.
terminal() {
	open_terminal 110x40 "exec env PS1='prompt> ' sh"
	eventually shows 'prompt>'
	type_in "stty -g >$WORK/before"
	eventually test -s "$WORK/before"
}

type_in() {
	keys "$1" Enter
}

# has_state ALTERNATE CURSOR: is the alternate screen in use (0 or 1), and is the cursor visible?
has_state() {
	flag alternate_on "$1" && flag cursor_flag "$2"
}

watch_it() {
	type_in "$TT_SMI mem -d 0 -r 100 --plain"
	eventually shows 'Device 0'
	eventually has_state 1 0
}

at_prompt() {
	[ "$(screen | grep . | tail -1 | xargs)" = 'prompt>' ]
}

# The terminal is restored, and the exit status is that of the signal.
restored() {
	eventually at_prompt # input that is typed before is discarded
	# A command of its own: the signal would end a list of commands.
	type_in "echo status \$? >$WORK/status"
	eventually test -s "$WORK/status"
	eventually has_state 0 1
	rm -f "$WORK/after"
	type_in "stty -g >$WORK/after"
	eventually test -s "$WORK/after"
	is "$(cat "$WORK/after")" "$(cat "$WORK/before")"
	is "$(cat "$WORK/status")" "status $1"
	eventually not shows 'Device 0'
}

@test "it refreshes in place, with a chart" {
	machine -b n300 -w dev=0,dram=1G,leak=50M,name=w,via=table
	terminal
	watch_it
	eventually shows 'since start'
	eventually shows '1 min ago'
	local before
	before=$(screen | grep DRAM | head -1)
	changed() { [ "$(screen | grep DRAM | head -1)" != "$before" ]; }
	eventually changed
	one_block() { [ "$(screen | grep -c 'Device 0')" = 1 ]; } # a frame arrives in parts
	eventually one_block
	keys C-c
	restored 130
}

@test "Ctrl-C restores the terminal" {
	machine --no-workloads -b n300
	terminal
	watch_it
	keys C-c
	restored 130
}

@test "SIGTERM restores the terminal" {
	machine --no-workloads -b n300
	terminal
	watch_it
	kill -TERM "$(program)"
	restored 143
}

@test "a new size takes effect" {
	machine --no-workloads -b n300
	terminal
	watch_it
	resize 84 30
	narrower() { screen | head -1 | grep -q '^ Device 0.\{60,75\}$'; }
	eventually narrower
	keys C-c
	restored 130
}

@test "--once and --json do not change the terminal" {
	machine --no-workloads -b n300
	terminal
	type_in "$TT_SMI mem -d 0 --once; $TT_SMI mem -d 0 --json -n 2 -r 100; echo status \$? >$WORK/status"
	eventually test -s "$WORK/status"
	is "$(cat "$WORK/status")" "status 0"
	eventually shows 'Device 0'
	eventually has_state 0 1
}

@test "a dumb terminal gets blocks" {
	machine --no-workloads -b n300
	terminal
	type_in "TERM=dumb $TT_SMI mem -d 0 -n 2 -r 100; echo status \$? >$WORK/status"
	eventually test -s "$WORK/status"
	# The first may follow a prompt, if the shell was slower than the keys.
	blocks() { is "$(screen | grep -c ' Device 0  ')" 2; }
	eventually blocks
}
