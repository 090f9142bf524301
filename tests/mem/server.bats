#!/usr/bin/env bats
# tt_smi with the allocation server: other users, a server that starts and stops, finished processes.

load helpers

setup_file() {
	export BATS_NO_PARALLELIZE_WITHIN_FILE=true
}

# accounted FIELDS: queries finished processes, repeatedly if the answer of a busy server comes too late.
accounted() {
	eventually "$TT_SMI" "--query-accounted-apps=$1" --format=csv,noheader 2>/dev/null
}

# Does the kernel provide the exit status of processes that are not children? Since 6.15 (PIDFD_INFO_EXIT).
kernel_tells_exit() {
	printf '%s\n' 6.15 "$(uname -r)" | sort -VC
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

@test "a program that is not visible in /proc is known by the server" {
	needs_server
	machine --no-workloads -b n300
	serve
	report 0 3 1048576
	rm "$D/proc/$REPORTED"
	eventually field_is '.devices[0].processes[0] | [.pid, .dram, (.list | length)]' "[$REPORTED,3145728,3]"
}

@test "a process known only by the server is listed in every output" {
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

@test "a million allocations are listed by the server, too" {
	needs_server
	machine --no-workloads -b n300
	serve
	report 0 $MANY 4096
	rm "$D/proc/$REPORTED"
	eventually field_is '.devices[0].processes[0] | [.dram, (.list | length), .list_complete]' \
		"[$((MANY * 4096)),$MANY,true]"
}

@test "kill -9 leaves only an account" {
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
	[[ "$(accounted start_time,end_time)" == 20??/*,\ 20??/* ]]
	# The device is dirty, if the kernel provides the exit status of the job.
	dirty_is() { is "$("$TT_SMI" --json | jq -c '.devices[0] | [.dirty, .dirty_cause, .unavailable.dirty]')" "$1"; }
	if kernel_tells_exit; then
		eventually dirty_is "[true,\"pid $REPORTED (reporter), signal 9\",null]"
	else
		eventually dirty_is '[null,null,"not_reported"]'
	fi
	is "$(accounted exit)" "$(if kernel_tells_exit; then echo "signal 9"; else echo "[N/A]"; fi)"
	"$TT_SMI" --query-accounted-apps=pid,time | head -1 | grep -qx 'pid, time \[s\]'
	# Also without a driver, whose module may have been unloaded since.
	mkdir "$WORK/empty"
	export TT_SMI_ROOT=$WORK/empty
	is "$(accounted pid,max_memory_usage,temperature.gpu)" "$REPORTED, 5 MiB, [N/A]"
	run "$TT_SMI" -i 0 --query-accounted-apps=pid
	is "$status" 9
	[[ $output == *"driver is not loaded"* ]]
}

@test "check and doctor warn of a device whose job was killed, until it is reset" {
	needs_server
	machine --no-workloads -b n150,p150a
	local heartbeat
	check_is() { # check_is CODE TEXT [OPTIONS]
		run "$TT_SMI" check "${@:3}" 3>&-
		echo "$status: $output"
		[ "$status" = "$1" ] && [[ $output == "TT_SMI "*"$2"* ]]
	}
	# Jobs from before the server started are unknown, which counts as a problem only with --only dirty.
	eventually check_is 3 "UNKNOWN: unknown whether a job was killed or crashed on 0, 1: not observed since its last reset" --only dirty
	eventually check_is 0 OK
	serve
	report 1 5 1048576
	eventually field_is '.devices[1].memory.used' 5242880
	kill -9 "$REPORTED"
	wait "$REPORTED" || true
	rm "$D/proc/$REPORTED"
	if ! kernel_tells_exit; then
		eventually check_is 3 "unknown whether a job was killed or crashed on " --only dirty
		skip "the kernel does not tell how a process ended"
	fi
	eventually check_is 1 "WARNING: device 1: p150a: dirty: a job on it was killed or crashed at 20"
	[[ $output == *" (pid $REPORTED (reporter), signal 9), and it was not reset since"* ]]
	[[ $output == *" at $(accounted end_time) ("* ]]
	# "dirty" is an area of its own.
	eventually check_is 1 "device 1: p150a: dirty" --only dirty
	eventually check_is 0 OK --only devices,firmware
	eventually check_is 3 "UNKNOWN: unknown whether" --only dirty -i 0
	explained() {
		run "$TT_SMI" doctor --only dirty 3>&-
		echo "$status: $output"
		[ "$status" = 1 ] && [[ $output == *"warn  1: p150a: dirty: "*"fix: reset the card (tt-smi -r 1) before the next job"* ]]
	}
	eventually explained
	documented() { is "$("$TT_SMI" doctor --json | jq -c '[.findings[] | select(.area == "dirty") | [.device, .level]]')" '[["1","warn"]]'; }
	eventually documented
	# The same cards as static files, so that the test can simulate a reset: the heartbeat restarts at 0.
	export TT_SMI_ROOT=$WORK/reset
	"$TT_SMI_SIM" --static --seed 7 --no-workloads -b n150,p150a "$TT_SMI_ROOT" 3>&-
	eventually check_is 1 "device 1: p150a: dirty" --only dirty
	heartbeat="$TT_SMI_ROOT/sys/class/tenstorrent/tenstorrent!1/tt_heartbeat"
	chmod u+w "$heartbeat"
	echo 0 >"$heartbeat"
	# The server may not know every job, so it cannot determine that the device is clean.
	eventually check_is 3 "UNKNOWN: unknown whether a job was killed or crashed on 1: not observed" --only dirty -i 1
}

@test "the monitor handles a server that starts and stops" {
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
	# All samples had the right figure.
	is "$(jq -c 'select(.devices[0].memory.used != 3145728)' "$WORK/out" | wc -l)" 0
}

@test "legacy clients are shown with their allocations" {
	needs_server
	machine -b n300,p150a -w "dev=0+1,name=old,dram=64M,l1=2M,cb=1M,via=socket,legacy=$WORK/legacy.sock"
	serve
	seen() { [ "$(field '[.devices[].processes[] | [.dram, .l1, .circular_buffers, .tracking]] | unique')" = '[[67108864,2097152,1048576,"wire"]]' ]; }
	eventually seen
	eventually field_is '[.devices[] | select(.processes != []) | .id]' '[0,1]'
	eventually field_is '[.devices[0].processes[0].list[].size] | add' 70254592
	"$TT_SMI" | grep 'old' | grep -q 'Connected to server'
}

@test "a tip is shown for untracked processes although a server runs" {
	needs_server
	machine -b n300 -w dev=0,via=none,name=silent
	serve
	run "$TT_SMI"
	[[ $output == *"💡 TIP: 1 process without memory tracking
   The next time: $TT_SMI run -- COMMAND"* ]]
	[[ $output != *tt_allocd* ]]
}

@test "--dump shows what the server holds" {
	needs_server
	machine --no-workloads -b n300
	serve
	report 0 3 1048576
	eventually field_is '.server.running' true
	mem --dump | grep -q "pid $REPORTED"
}

@test "another user sees totals, but no single allocations" {
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

@test "-q and JSON show peak, pools and the source" {
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

@test "tt_smi serve counts allocations per pool, of programs and from the server" {
	needs_server
	[ -x "$BUILD/tt_smi-serve" ] || skip "tt_smi serve is not built"
	machine --no-workloads -b n300
	serve
	"$TT_SMI" serve --listen 127.0.0.1:0 2>"$WORK/metrics.log" 3>&- &
	STARTED="$STARTED $!"
	eventually grep -q 'serving http' "$WORK/metrics.log"
	counts() { # prints the counters without device and uuid
		curl -sS "$(grep -o 'http://[^ ]*' "$WORK/metrics.log")" | sed -n 's/^ttsmi_\(allocation[a-z_]*\){.*pool=/\1 /p' | sort
	}
	counts_are() {
		[ "$(counts)" = "$1" ]
	}
	counts_are "" # unknown, not 0
	report 0 5 1048576
	report 0 3 4096 4 # TRACE, a part of DRAM
	report 0 7 4096 1
	echo free >"$ORDERS"
	eventually counts_are "$(printf '%s\n' 'allocation_failures_total "dram"} 0' 'allocation_failures_total "l1"} 0' \
		'allocations_total "dram"} 8' 'allocations_total "l1"} 7')"
}
