#!/usr/bin/env bats
# tt_smi mem on a terminal: the view of memory.

load helpers

@test "tt_smi mem and allocation_monitor_client are the view of memory" {
	start -b n150,p150a -w dev=0,dram=1G,leak=10M,via=table,name=leaky -w dev=1,dram=2G,name=other
	terminal 110x40 "$TT_SMI" mem --root "$D" -r 100
	eventually shows 'leaky'
	eventually shows '│\|DRAM GB  device 0'
	eventually shows ' 0● DRAM'
	eventually shows ' 1● DRAM'
	eventually shows 'since start'
	eventually shows 'Largest allocations *Oldest allocations'
	eventually shows 'leaky .*grew .*MB in [1-9][0-9] s, 0 frees'
	keys Right
	eventually shows 'Device 1 .*2 of 2'
	eventually shows 'other'
	# It is the whole program.
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

@test "with -n, --once and --plain it is what it was" {
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

@test "without a machine it says so and waits, as -w does" {
	mkdir -p "$D/sys/class/tenstorrent"
	terminal 80x24 "$TT_SMI" mem --root "$D" -r 100
	eventually shows 'no Tenstorrent device present'
	keys q
	eventually shows 'code 6'
}
