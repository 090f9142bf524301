#!/usr/bin/env bats
# tt_smi mem without a server: real processes that report themselves, or do not.

load helpers

@test "a program that reports itself is seen without a server and without a device open" {
	machine --no-workloads -b n300
	report 0 3 1048576
	is "$(field '.devices[0].memory.used')" 3145728
	is "$(field '.devices[0].processes[0] | [.program, .dram, .allocations, .tracking]')" \
		'["reporter",3145728,3,"table"]'
	is "$(field '.devices[0].processes[0].list | map(.size) | add')" 3145728
	is "$(field '.server.running')" false
	run mem --once -d 0
	[[ $output == *"no server"* && $output == *SIMULATED* && $output == *"3.00MB / 12.00GB"* ]]
	[[ $output == *"Largest allocations"* && $output == *"Oldest allocations"* ]]
	[[ $output == *"PID     Pool "*" Size "*" Age"* ]]
	# Equal allocations share a line, except when they are sorted by time.
	[[ $output == *" DRAM "*" 3 x 1.00MB "* ]]
	is "$(grep -c ' 3 x 1.00MB ' <<<"$output")" 1
}

@test "frees and new allocations are shown" {
	machine --no-workloads -b n300
	report 0 3 1048576
	echo free >"$ORDERS"
	echo free >"$ORDERS"
	echo alloc >"$ORDERS"
	freed() { [ "$(field '.devices[0].processes[0] | [.allocations, .allocations_made, .allocations_freed]')" = '[2,4,2]' ]; }
	eventually freed
	is "$(field '.devices[0].processes[0] | [.dram, .peak_dram]')" '[2097152,3145728]'
}

@test "the age of an allocation is the time since it was reported" {
	local before ready later after ages
	machine --no-workloads -b n300
	before=$EPOCHREALTIME
	report 0 1 1048576
	ready=$EPOCHREALTIME
	sleep 1
	later=$EPOCHREALTIME
	echo alloc >"$ORDERS"
	both() { [ "$(field '.devices[0].processes[0].list | length')" = 2 ]; }
	eventually both
	after=$EPOCHREALTIME
	ages=$(field '.devices[0].processes[0].list | sort_by(.id) | map(.age)')
	jq -en --argjson ages "$ages" "(\$ages[0] - \$ages[1]) as \$between | \$between > $later - $ready - 0.002 and
		\$between < $after - $before + 0.002 and \$ages[1] >= 0 and \$ages[0] < $EPOCHREALTIME - $before + 0.002" ||
		{ echo "$ages, not between $later - $ready and $after - $before"; false; }
}

@test "pools: TRACE is part of DRAM, L1_SMALL of L1, circular buffers are separate" {
	machine -b p150a -w dev=0,name=w,dram=64M,trace=16M,l1=8M,l1_small=1M,cb=2M,via=table
	is "$(field '.devices[0].memory | [.used, .trace, .l1.used, .l1.small, .l1.circular_buffers]')" \
		'[83886080,16777216,9437184,1048576,2097152]'
	run mem --once
	[[ $output == *"of which TRACE 16.00MB"* ]]
	[[ $output == *"of which L1_SMALL 1.00MB"*"circular buffers 2.00MB (as reported)"* ]]
}

@test "a million live allocations in one process are listed" {
	machine --no-workloads -b n300
	report 0 $MANY 4096
	mem --once --json >"$WORK/out"
	is "$(jq -c '.devices[0].processes[0] | [.allocations, (.list | length), .list_complete, (.list | map(.size) | add),
		(.list | unique_by(.id) | length)]' "$WORK/out")" "[$MANY,$MANY,true,$((MANY * 4096)),$MANY]"
}

@test "kill -9 leaves nothing behind" {
	machine --no-workloads -b n300
	report 0 1000 1048576
	is "$(field '.devices[0].memory.used')" 1048576000
	kill -9 "$REPORTED"
	wait "$REPORTED" || true
	is "$(field '.devices[0] | [.memory.used, (.processes | length)]')" '[0,0]'
}

@test "a stopped program is read without waiting for it" {
	machine --no-workloads -b n300
	report 0 1000 1048576
	kill -STOP "$REPORTED"
	is "$(field '.devices[0].processes[0] | [.dram, (.list | length)]')" '[1048576000,1000]'
}

@test "TT-Metal's counters are used if there is no better source" {
	machine -b n300 -w dev=0,dram=1G,l1=5M,name=metal -w dev=0,via=none,name=silent
	is "$(field '[.devices[0].processes | sort_by(.name)[] | .tracking]')" '["metal","none"]'
	is "$(field '[.devices[0].processes | sort_by(.name)[] | .list_unavailable]')" '["not_reported","no_tracker"]'
	run mem --once -d 0
	[[ $output == *"≥1.00GB / 12.00GB "*"]  ≥8.3%   peak ≥1.00GB"* ]]
	[[ $output == *"Device open (no tracking)"* ]]
	[[ $output == *"Single allocations: N/A (not reported by its source)"* ]]
	[[ $output == *"💡 TIP: 1 process without memory tracking
   The next time: $TT_SMI run -- COMMAND"* ]]
}

@test "memory left by an exited process is listed and not counted" {
	"$TT_SMI_SIM" --static --seed 7 -b n150 -w dev=0,dram=5G,l1=1M,name=dead "$D"
	chmod -R u+w "$D/proc"
	rm -r "$D/proc/1001"
	: >"$D/proc/driver/tenstorrent/0/pids"
	run mem --once
	[[ $output == *" 0B / 12.00GB "*"No processes using this device"* ]]
	[[ $output == *"1001    dead                         5.00GB     1.00MB   Stale (gone), not counted"* ]]
}

@test "unknown is N/A with its reason, never 0" {
	machine -b n300 -w dev=0,via=none,name=silent
	run mem --once -d 0
	[[ $output == *"N/A / 12.00GB    not tracked"* ]]
	is "$(field '.devices[0] | [.memory.used, .watched.dram.peak, .unavailable["memory.used"]]')" \
		'[null,null,"no_tracker"]'
	run mem --once -d 0R
	[[ $output == *"Processes: N/A (not tracked)"* ]]
}

@test "no process on a device: 0 and no tip" {
	machine --no-workloads -b n300
	run mem --once -d 0
	[[ $output == *"0B / 12.00GB"*"0.0%"* && $output == *"No processes using this device"* ]]
	[[ $output != *TIP* ]]
}

@test "into a pipe: plain, a block per sample, an empty line between" {
	machine -b n300 -w dev=0,dram=1G,leak=10M,name=w,via=table
	mem -d 0 -r 100 -n 3 >"$WORK/out"
	not grep -q $'\033' "$WORK/out"
	is "$(grep -c '^ Device 0' "$WORK/out")" 3
	is "$(grep -c 'since start' "$WORK/out")" 4
	is "$(grep -B1 '^ Device 0' "$WORK/out" | grep -c '^$')" 2
}

@test "growth is shown, with the number of frees" {
	machine -b n300 -w dev=0,dram=64M,leak=10M,name=w,via=table
	mem -d 0 -r 1000 -n 17 >"$WORK/out"
	tail -20 "$WORK/out" | grep -Eq 'w .*grew [0-9.]+MB in [1-9][0-9] s, 0 frees$'
}

@test "JSON: a document per line in a stream, each valid" {
	machine -b n300,p150a -w dev=0,dram=1G,name=w,via=table -w dev=1,dram=1G,name=m
	mem --json -r 100 -n 3 >"$WORK/out"
	is "$(wc -l <"$WORK/out")" 3
	is "$(jq -s 'length' "$WORK/out")" 3
	is "$(tail -1 "$WORK/out" | jq '.devices[0].watched.dram.change')" 0
	needs_jsonschema
	python3 "$HERE/schema.py" --check <"$WORK/out"
}

@test "the schema matches the tables, and documents of failing machines match it" {
	python3 "$HERE/schema.py"
	needs_jsonschema
	machine -b n300,p150a,n150 --fault dead:1 --fault no-telemetry:2 --driver 2.4.0 \
		-w dev=0,via=none,name=silent -w dev=1,dram=1M,name=m -w dev=2,dram=1M,via=table,name=t
	mem --once --json | python3 "$HERE/schema.py" --check
}

@test "ASCII only on request, and no line wider than the terminal" {
	machine -b n300,galaxy-wormhole@41 -w dev=0,dram=1G,l1=3M,name=w,via=table \
		-w dev=0,dram=1G,name=a-name-that-is-much-too-long-for-its-column,args=x
	LC_ALL=C mem -r 100 -n 2 >"$WORK/out"
	not grep -qP '[^\x00-\x7F]' "$WORK/out"
	mem --ascii -r 100 -n 2 | not grep -qP '[^\x00-\x7F]'
	for width in 80 90 100 102 160; do
		COLUMNS=$width mem -r 100 -n 2 >"$WORK/out"
		grep -v TIP "$WORK/out" | python3 "$HERE/narrow.py" $width
	done
}

@test "devices are selected as with -i, and several" {
	machine --no-workloads -b n300,p150a,p100a
	is "$(mem --once --json -d 0 -d 2 | jq -c '[.devices[].id]')" '[0,2]'
	is "$(mem --once --json -d 0000:02:00.0 | jq -c '[.devices[].id]')" '[1]'
	is "$(mem --once --json -a | jq -c '[.devices[].id]')" '[0,"0R",1,2]'
	run mem --once -d 7
	is "$status" 6
}

@test "wrong command lines are errors" {
	machine --no-workloads -b n300
	local words
	for words in "-r 50" "-r 60001" "-r x" "-x" "--nonsense" "0" "-a -d 0" "--once -n 2" "-d" \
		"--dump --json" "-n 0" "--color red" "-d ,"; do
		run mem $words
		[ "$status" -eq 2 ] || { echo "$words: $status $output"; false; }
		[[ $output == "tt_smi: "* ]]
	done
}

@test "called as allocation_monitor_client it is the monitor" {
	machine --no-workloads -b n300
	run "$MONITOR" -d 0 -r 500 -n 1
	is "$status" 0
	[[ $output == " Device 0  Wormhole_B0 n300"* ]]
	run "$MONITOR" -h
	[[ $output == *"allocation_monitor_client [OPTION]"* ]]
	is "$(mem -h)" "$output"
}

@test "a full disk is an error" {
	machine --no-workloads -b n300
	report 0 100000 4096
	run bash -c '"$0" mem --once --json >/dev/full' "$TT_SMI"
	is "$status" 74
	run bash -c '"$0" mem --once >/dev/full' "$TT_SMI"
	is "$status" 74
}

@test "requests that need a server: exit 16 without one" {
	machine --no-workloads -b n300
	local message="cannot connect to the allocation server at $TT_ALLOCD_SOCKET"
	message+=": No such file or directory; to start it: "
	run mem --dump
	is "$status" 16
	[[ $output == *"$message"* ]]
	run "$TT_SMI" --query-accounted-apps=pid,max_memory_usage --format=csv
	is "$status" 16
	[[ $output == *"$message"* ]]
	run "$TT_SMI" --query-accounted-apps=nonsense
	is "$status" 2
	"$TT_SMI" --help-query-accounted-apps | grep -q '^"max_memory_usage"'
}

@test "a device that disappears is a gap, not the end" {
	machine --no-workloads -b n300,p150a
	report 0 3 1048576
	"$TT_SMI" mem --json -r 100 >>"$WORK/out" 2>"$WORK/err" 3>&- &
	STARTED="$STARTED $!"
	eventually test -s "$WORK/out"
	mv "$D/sys/class/tenstorrent" "$D/sys/class/away"
	eventually grep -q "driver is not loaded" "$WORK/err"
	: >"$WORK/out"
	mv "$D/sys/class/away" "$D/sys/class/tenstorrent"
	again() { is "$(tail -n 2 "$WORK/out" | head -1 | jq '.devices[0].memory.used')" 3145728; }
	eventually again
}

@test "a monitor is listed, and makes no memory unknown" {
	machine -b n150 -w via=monitor -w dev=0,dram=1G,name=job
	is "$(field '.devices[0].memory | [.used, .complete]')" '[1073741824,true]'
	is "$(field '.devices[0].processes | map([.name, .role, .dram]) | sort')" \
		'[["job","job",1073741824],["tt_telemetry_collector","monitor",null]]'
	run mem --once -d 0
	[[ $output == *"Monitor (uses no memory)"* && $output != *"≥"* ]]
}
