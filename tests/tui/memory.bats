#!/usr/bin/env bats
# tt_smi mem on a terminal opens the memory view.

load helpers

@test "tt_smi mem and allocation_monitor_client open the memory view" {
	start -b n150,p150a -w dev=0,dram=1G,leak=10M,via=table,name=leaky -w dev=1,dram=2G,name=other
	terminal 110x40 "$TT_SMI" mem --root "$D" -r 100
	eventually shows 'leaky'
	eventually shows '│\|DRAM  device 0'
	eventually shows ' 0● DRAM'
	eventually shows ' 1● DRAM'
	eventually shows 'since start'
	eventually shows 'Largest allocations *Oldest allocations'
	eventually shows '+.*MB in [1-9][0-9] s.*leaky'
	keys Right
	eventually shows 'Device 1 .*2 of 2'
	eventually shows 'other'
	# The other views can be reached from there.
	keys 3
	eventually shows 'COMMAND'
	keys q
	eventually shows 'code 0'
	close_terminal
	terminal 110x40 "$(dirname "$TT_SMI")/allocation_monitor_client" --root "$D" -d 1 -r 200 --read-only
	eventually shows '─ Device 1  Blackhole p150a ─'
	eventually not shows Kill
	eventually shows '  0.2s$'
	keys q
	eventually shows 'code 0'
}

# coloured PATTERN: the screen, with escape sequences of its colours, matches the pattern.
coloured() {
	tmux -S "$SOCKET" capture-pane -e -p | grep -q -- "$1"
}

@test "its processes are those of the device, and are selected as in the list" {
	start -b n150,p150a -w dev=0,dram=3G,name=first -w dev=0+1,dram=2G,name=second -w dev=1,dram=1G,name=third
	watch 120x40 --view=memory
	eventually shows 'Processes  2 on device 0  by DRAM'
	eventually shows '▶ .* 3.0GB .* first'
	eventually not shows third
	keys Down
	eventually shows '▶ .* 2.0GB .* second'
	keys k
	eventually shows 'TERM'
	keys Enter
	eventually shows 'Send SIGTERM to [0-9]* second'
	keys Escape Enter
	eventually shows 'Process Id'
	keys Escape Right
	eventually shows 'Processes  2 on device 1  by DRAM'
	eventually shows ' third'
	eventually not shows first
	keys F4 third Enter
	eventually shows 'only third (+1)'
	eventually not shows second
}

# device_at_least ROW: the text of the device begins in this row or below it.
device_at_least() {
	[ "$(screen | grep -n '─ Device 0' | cut -d: -f1)" -ge "$1" ]
}

@test "its text has colours, and its charts fill the page" {
	start -b n150 -w dev=0,dram=3G,name=first
	watch 200x60 --view=memory
	eventually shows 'first'
	eventually coloured $'m\\[█'
	eventually device_at_least 45
}

@test "with -n, --once and --plain it prints" {
	machine -b n150 -w dev=0,dram=1G,name=one
	local how
	for how in '-n 2 -r 100' --once; do
		terminal 100x30 "$TT_SMI" mem --root "$D" $how
		eventually shows 'code 0'
		eventually not shows Overview
		close_terminal
	done
	terminal 100x30 "$TT_SMI" mem --root "$D" --plain
	eventually shows '^ Device 0'
	eventually not shows Overview
	close_terminal
	"$TT_SMI" mem --root "$D" -n 1 | grep -q '^ Device 0'
}

@test "without a machine it shows the error and waits, like -w" {
	mkdir -p "$D/sys/class/tenstorrent"
	terminal 80x24 "$TT_SMI" mem --root "$D" -r 100
	eventually shows 'no Tenstorrent device present'
	keys q
	eventually shows 'code 6'
}
