#!/usr/bin/env bats
# tt_smi with the allocation server: other users, comings and goings, the finished.

load helpers

setup_file() {
	export BATS_NO_PARALLELIZE_WITHIN_FILE=true
}

# A busy server may be too late for one who asks.
accounted() {
	eventually "$TT_SMI" "--query-accounted-apps=$1" --format=csv,noheader 2>/dev/null
}

@test "with a server, each process is shown once" {
	needs_server
	machine --no-workloads -b n300
	serve
	report 0 3 1048576
	connected() { [ "$(field '.server.running')" = true ] && "$TT_SMI" | grep -q 'Connected to server'; }
	eventually connected
	eventually field_is '.devices[0].memory.used' 3145728
	eventually field_is '[.devices[0].processes[] | .pid]' "[$REPORTED]"
	eventually field_is '.devices[0].processes[0].list | length' 3
	run mem --once -d 0
	[[ $output == *"server running"* ]]
}

@test "a program out of sight of /proc is known by the server" {
	needs_server
	machine --no-workloads -b n300
	serve
	report 0 3 1048576
	rm "$D/proc/$REPORTED"
	eventually field_is '.devices[0].processes[0] | [.pid, .dram, (.list | length)]' "[$REPORTED,3145728,3]"
}

@test "a process that only the server knows is listed whatever is asked of it" {
	needs_server
	machine --no-workloads -b n300
	serve
	report 0 3 1048576
	rm "$D/proc/$REPORTED"
	apps() { "$TT_SMI" "--query-compute-apps=$1" --format=csv,noheader 2>/dev/null | cut -d, -f1; }
	listed() { [ "$(apps pid,used_memory)" = "$REPORTED" ] && [ "$(apps pid)" = "$REPORTED" ]; }
	eventually listed
	is "$("$TT_SMI" -s | jq -c '[.processes[].pid]')" "[$REPORTED]"
}

@test "a million allocations come through the server too" {
	needs_server
	machine --no-workloads -b n300
	serve
	report 0 1000000 4096
	rm "$D/proc/$REPORTED"
	eventually field_is '.devices[0].processes[0] | [.dram, (.list | length), .list_complete]' \
		'[4096000000,1000000,true]'
}

@test "kill -9 leaves nothing but an account" {
	needs_server
	machine --no-workloads -b n300
	serve
	report 0 5 1048576
	eventually field_is '.devices[0].memory.used' 5242880
	kill -9 "$REPORTED"
	wait "$REPORTED" || true
	rm "$D/proc/$REPORTED"
	gone() { [ "$(field '.devices[0] | [.memory.used, (.processes | length)]')" = '[0,0]' ]; }
	eventually gone
	is "$(accounted pid,process_name,uid,max_memory_usage,memory.l1.peak,index)" \
		"$REPORTED, reporter, $(id -u), 5 MiB, 0 MiB, 0"
	is "$(accounted user)" "$(accounted user | head -1)"
	[ "$(accounted exit)" = "signal 9" ] || [ "$(accounted exit)" = "[N/A]" ]
	[[ "$(accounted start_time,end_time)" == 20??/*,\ 20??/* ]]
	"$TT_SMI" --query-accounted-apps=pid,time | head -1 | grep -qx 'pid, time \[s\]'
}

@test "the monitor follows a server that comes and goes" {
	needs_server
	machine --no-workloads -b n300
	report 0 3 1048576
	"$TT_SMI" mem --json -r 100 >"$WORK/out" 2>"$WORK/err" 3>&- &
	STARTED="$STARTED $!"
	last() { [ "$(tail -n 2 "$WORK/out" | head -1 | jq -c '[.server.running, .devices[0].memory.used]')" = "$1" ]; }
	eventually last '[false,3145728]'
	local i
	for i in 1 2 3; do
		serve
		eventually last '[true,3145728]'
		kill -9 "$SERVED"
		wait "$SERVED" || true
		eventually last '[false,3145728]'
	done
	[ ! -s "$WORK/err" ]
	# At no time was anything but the truth shown.
	is "$(jq -c 'select(.devices[0].memory.used != 3145728)' "$WORK/out" | wc -l)" 0
}

@test "programs of the first system's protocol are shown with their allocations" {
	needs_server
	machine -b n300,p150a -w "dev=0+1,name=old,dram=64M,l1=2M,cb=1M,via=socket,legacy=$WORK/legacy.sock"
	serve
	seen() { [ "$(field '[.devices[].processes[] | [.dram, .l1, .circular_buffers, .tracking]] | unique')" = '[[67108864,2097152,1048576,"wire"]]' ]; }
	eventually seen
	eventually field_is '[.devices[] | select(.processes != []) | .id]' '[0,1]'
	eventually field_is '[.devices[0].processes[0].list[].size] | add' 70254592
	"$TT_SMI" | grep 'old' | grep -q 'Connected to server'
}

@test "who is not tracked though a server runs is told what to do" {
	needs_server
	machine -b n300 -w dev=0,via=none,name=silent
	serve
	run "$TT_SMI"
	[[ $output == *"💡 TIP: Processes must be instrumented to report memory to the server"* ]]
	[[ $output != *allocation_server_poc* ]]
}

@test "--dump shows what the server holds" {
	needs_server
	machine --no-workloads -b n300
	serve
	report 0 3 1048576
	eventually field_is '.server.running' true
	mem --dump | grep -q "pid $REPORTED"
}

@test "another user sees totals, and no single allocation" {
	needs_server
	[ "$(id -u)" = 0 ] || skip "only root can be two users"
	machine --no-workloads -b n300
	serve
	report 0 3 1048576
	chmod 755 "$WORK"
	run setpriv --reuid=65534 --regid=65534 --clear-groups "$TT_SMI" mem --once --json
	is "$(jq -c '.devices[0].processes[0] | [.dram, .allocations, .list, .list_unavailable]' <<<"$output")" \
		'[3145728,3,null,"permission_denied"]'
	run setpriv --reuid=65534 --regid=65534 --clear-groups "$TT_SMI" mem --once -d 0
	[[ $output == *"Single allocations: N/A (permission denied)"* ]]
}

@test "-q and JSON show peak, pools and who told" {
	needs_server
	machine -b n300 -w dev=0,dram=64M,trace=8M,l1=4M,l1_small=1M,cb=2M,name=w,via=table
	serve
	connected() { "$TT_SMI" | grep -q 'Connected to server'; }
	eventually connected
	is "$("$TT_SMI" --json | jq -c '.processes[0].devices[0] | [.dram, .trace, .l1, .l1_small, .circular_buffers, .peak_dram, .peak_l1, .tracking]')" \
		'[75497472,8388608,5242880,1048576,2097152,75497472,5242880,"table"]'
	"$TT_SMI" -q -d PIDS | grep -q 'Peak DRAM *: 72.0MB'
	"$TT_SMI" -q -d PIDS | grep -q 'Tracking *: table'
}
