#!/usr/bin/env bats
# tt_smi mem on a terminal, in place with --plain: and as if it had never been there.
# As a full screen it is tested with that one, in tests/tui.

load helpers

# A shell in a terminal of 110 by 40.
terminal() {
	TMUX_SOCKET=$WORK/tmux
	tmux -S "$TMUX_SOCKET" -f /dev/null new-session -d -x 110 -y 40 "PS1='prompt> ' sh" 3>&-
	eventually shows 'prompt>'
	type_in "stty -g >$WORK/before"
	eventually test -s "$WORK/before"
}

type_in() {
	tmux -S "$TMUX_SOCKET" send-keys "$1" Enter
}

screen() {
	tmux -S "$TMUX_SOCKET" capture-pane -p
}

shows() {
	screen | grep -q -- "$1"
}

# Alternate screen and cursor.
has_state() {
	is "$(tmux -S "$TMUX_SOCKET" display -p '#{alternate_on} #{cursor_flag}')" "$1"
}

watch_it() {
	type_in "$TT_SMI mem -d 0 -r 100 --plain"
	eventually shows 'Device 0'
	eventually has_state "1 0"
}

# Everything as it was, and the status that the signal gives.
restored() {
	# The shell's next command: a list would end with the signal.
	type_in "echo status \$? >$WORK/status"
	eventually test -s "$WORK/status"
	eventually has_state "0 1"
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
	eventually shows '10 min ago'
	local before
	before=$(screen | grep DRAM | head -1)
	changed() { [ "$(screen | grep DRAM | head -1)" != "$before" ]; }
	eventually changed
	is "$(screen | grep -c 'Device 0')" 1
	tmux -S "$TMUX_SOCKET" send-keys C-c
	restored 130
}

@test "Ctrl-C restores the terminal" {
	machine --no-workloads -b n300
	terminal
	watch_it
	tmux -S "$TMUX_SOCKET" send-keys C-c
	restored 130
}

@test "SIGTERM restores the terminal" {
	machine --no-workloads -b n300
	terminal
	watch_it
	local shell child
	shell=$(tmux -S "$TMUX_SOCKET" display -p '#{pane_pid}')
	child=$(cat "/proc/$shell/task/$shell/children")
	kill -TERM $child
	restored 143
}

@test "a new size is followed" {
	machine --no-workloads -b n300
	terminal
	watch_it
	tmux -S "$TMUX_SOCKET" resize-window -x 84 -y 30
	narrower() { screen | head -1 | grep -q '^ Device 0.\{60,75\}$'; }
	eventually narrower
	tmux -S "$TMUX_SOCKET" send-keys C-c
	restored 130
}

@test "--once and --json leave the terminal alone" {
	machine --no-workloads -b n300
	terminal
	type_in "$TT_SMI mem -d 0 --once; $TT_SMI mem -d 0 --json -n 2 -r 100; echo status \$? >$WORK/status"
	eventually test -s "$WORK/status"
	is "$(cat "$WORK/status")" "status 0"
	eventually shows 'Device 0'
	eventually has_state "0 1"
}

@test "a dumb terminal gets blocks" {
	machine --no-workloads -b n300
	terminal
	type_in "TERM=dumb $TT_SMI mem -d 0 -n 2 -r 100; echo status \$? >$WORK/status"
	eventually test -s "$WORK/status"
	blocks() { is "$(screen | grep -c '^ Device 0')" 2; }
	eventually blocks
}
