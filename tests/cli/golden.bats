#!/usr/bin/env bats
# Every output for every recorded machine, compared with the files in golden/.
#
# After an intended change: UPDATE_GOLDEN=1 bats golden.bats, then read the difference in git:
# each changed line must be right.

load helpers
load machines

# Enough fields that a misplaced column is noticed.
GPU_FIELDS=timestamp,driver_version,count,index,name,board,uuid,serial,asic_id,node,state,health,tray,chip,remote,gateway
GPU_FIELDS+=,pci.bus_id,pci.device_id,pci.sub_device_id,pci.numa_node,pcie.link.gen.current,pcie.link.gen.max
GPU_FIELDS+=,pcie.link.width.current,pcie.link.width.max,temperature.asic,temperature.limit,temperature.headroom
GPU_FIELDS+=,power.draw,power.limit,voltage.core,voltage.limit,current.core,current.limit,clocks.ai,clocks.axi,clocks.arc
GPU_FIELDS+=,fan.rpm,firmware.bundle,firmware.cm,firmware.eth,firmware.dm_app,firmware.dm_bl,firmware.tt_flash
GPU_FIELDS+=,heartbeat,uptime,thermal_trips,memory.total,memory.used,memory.free,memory.trace.used,memory.l1.total
GPU_FIELDS+=,memory.l1.used,memory.l1.free,memory.l1_small.used,memory.cb.used,memory.complete,utilization.compute
GPU_FIELDS+=,utilization.device,utilization.memory,processes.count
APP_FIELDS=timestamp,index,gpu_uuid,pid,ns_pid,process_name,command,user,uid,start_time,elapsed,process_state,cpu
APP_FIELDS+=,host_memory,owner,container,container.runtime,pod,slurm.job_id,slurm.step,unit,holding,role,used_memory
APP_FIELDS+=,memory.l1,memory.l1_small,memory.trace,memory.cb,memory.peak,tracking

# keep FILE [OPTIONS]: runs tt_smi, with its output in $WORK/have/FILE. Exit code and stderr are appended to
# $WORK/have/exit.
keep() {
	local name=$1 r i
	shift
	for i in $(seq $((${#AGAIN} ? 50 : 1))); do
		r=0
		mortal "$TT_SMI" --root "$D" "$@" >"$WORK/out" 2>"$WORK/err" 3>&- || r=$?
		# Tips contain the path of the program, and name the tracer if it was built.
		sed "s|${TT_SMI%/*}/||g; /^   Without a restart: /d" "$WORK/out" >"$WORK/have/$name"
		cmp -s "$WORK/have/$name" "$HERE/golden/$AGAIN/$name" && break
	done
	{
		printf '%s: %s\n' "$name" "$r"
		sed "s|$D|ROOT|g; s/^/    /" "$WORK/err"
	} >>"$WORK/have/exit"
}

keep_all() {
	mkdir "$WORK/have"
	local c
	for c in 80 102 180; do
		COLUMNS=$c keep table-$c.txt
		COLUMNS=$c keep table-$c-ascii.txt --ascii
	done
	COLUMNS=102 keep table-102-color.txt --color=always
	keep out.json --json=pretty
	keep gpu.csv --query-gpu=$GPU_FIELDS
	keep apps.csv --query-compute-apps=$APP_FIELDS
	keep q.txt -q
	keep s.json -s
	keep L.txt -L
}

compare() { # MACHINE
	keep_all
	python3 "$HERE/widths.py" "$WORK"/have/table-*.txt
	if [ -n "${UPDATE_GOLDEN:-}" ]; then
		rm -rf "$HERE/golden/$1"
		cp -r "$WORK/have" "$HERE/golden/$1"
	fi
	diff -ru "$HERE/golden/$1" "$WORK/have" >"$WORK/diff" || { head -100 "$WORK/diff"; return 1; }
}

check() { # MACHINE
	make_machine "$1"
	compare "$1"
}

@test "one n150" {
	check n150
}

@test "n300: the chip without PCIe is shown, as not readable" {
	check n300
}

@test "two p150a, one job on both" {
	check p150a-two
}

@test "p300: two chips of one board, each with PCIe" {
	check p300
}

@test "a Wormhole Galaxy of 32" {
	check galaxy-wormhole
}

@test "a Blackhole Galaxy of 32" {
	check galaxy-blackhole
}

@test "mixed boards with gaps in their numbers" {
	check gaps
}

@test "driver 2.4: no pids file" {
	check driver-2.4
}

@test "driver 2.8: no limits on Blackhole" {
	check driver-2.8
}

@test "compute utilisation, exact and as a bound" {
	check measured
}

@test "firmware without telemetry" {
	check no-telemetry
}

@test "dead chips: all ones are not a reading" {
	check dead
}

@test "cards on the bus that the driver does not serve" {
	check unserved
}

@test "twelve devices: numeric order" {
	check twelve
}

@test "files that may not be read" {
	check unreadable
}

@test "files with garbage in them" {
	check garbage
}

@test "processes with owners, namespaces and long names" {
	check processes
}

@test "memory left by exited processes is shown and not counted" {
	check stale
}

@test "memory that probes in the kernel count" {
	check traced
}

@test "holders listed by the kernel if the driver has no list" {
	check traced-old
}

@test "monitors hold devices and make no memory unknown" {
	check monitors
}

@test "the Wormhole that was observed" {
	check observed-wormhole
}

@test "the Blackhole that was observed" {
	check observed-blackhole
}

@test "a chip that is being reset" {
	needs_fuse
	# A running machine, since files of a static one cannot fail; marked as recorded, with constant values.
	start -b n300,p150a --no-workloads --fault reset:0 --fault reset:1
	echo $WHEN >"$D/captured_at"
	# On a busy machine a read through FUSE may time out: then the comparison is repeated.
	AGAIN=reset compare reset
}
