# The recorded machines of the golden tests. make_NAME writes one at $D; its comment says what it is
# for.

MACHINES='n150 n300 p150a-two p300 galaxy-wormhole galaxy-blackhole gaps driver-2.4 driver-2.8
	no-telemetry dead unserved twelve unreadable garbage processes stale traced traced-old measured monitors observed-wormhole observed-blackhole'

make_machine() {
	make_"${1//[-.]/_}"
}

# The smallest machine: one card, one job.
make_n150() {
	machine -b n150 -w 'dev=0,dram=4G,l1=20M,cb=8M,name=python3,args=serve.py --port 8000,uid=1000,age=3723'
}

# Two chips, one of them without PCIe.
make_n300() {
	machine -b n300 --load 90 -w 'dev=0,dram=11G,behind=3G,trace=512M,l1=64M,l1_small=2M,cb=90M,name=/opt/tt/bin/train,uid=1000' \
		-w dev=0,via=none,name=jupyter-lab
}

# Two equal cards, with an idle process and a job on both.
make_p150a_two() {
	machine -b 2xp150a -w 'dev=0+1,dram=8G,l1=96M,name=python3,args=-m vllm.entrypoints.openai.api_server,util=437' \
		-w dev=1,dram=20G,name=pytest,age=90061
}

# Two chips with PCIe each and one serial number.
make_p300() {
	machine -b p300c,p100a --no-workloads --load 0
}

make_galaxy_wormhole() {
	machine -b galaxy-wormhole -w dev=0+1+2+3+8+16+31,dram=6G,l1=32M,name=shard -w dev=5,via=none
}

make_galaxy_blackhole() {
	machine -b galaxy-blackhole --load 100 -w dram=20G,l1=100M,name=llama
}

# Device numbers with gaps, boards of both architectures, a chip of a Galaxy among them.
make_gaps() {
	machine -b n150,2x-,p150b,-,n300,p300b,galaxy-wormhole@c3 \
		-w dev=4,dram=1G,name=a -w dev=6+7,dram=2G,name=b
}

# The driver has no pids files: holders are found by their descriptors.
make_driver_2_4() {
	machine -b n150,p150a --driver 2.4.0 -w dev=0+1,dram=1G,name=old -w dev=1,via=none,name=shell
}

# A driver without limits for Blackhole, and without files whose reads fail during a reset.
make_driver_2_8() {
	machine -b n300,p150a --driver 2.8.0 --firmware 18.12.0.0 -w dev=1,dram=1G,name=job
}

# Wormhole firmware that is too old for tt_* and hwmon, and a Blackhole whose firmware publishes nothing.
make_no_telemetry() {
	machine -b n150,p150a,p100a --firmware 18.3.0.0 --fault no-telemetry:1 -w dev=0+1,dram=1G,name=job
}

# Two chips that are off the bus, so that all reads return ones, and a working one.
make_dead() {
	machine -b n300,p150a,p150a --fault dead:0 --fault dead:1 -w dev=0+2,dram=2G,name=victim
}

# Cards on the bus without a driver, and with another one, beside two that are served.
make_unserved() {
	machine -b n150,p150a,p100a,n300 --fault unbound:1 --fault vfio:2 -w dev=0,dram=1G,name=job
}

# Sorted by number, not by name.
make_twelve() {
	machine -b 12xp150a -w dev=2+10,dram=1G,name=two-and-ten -w dev=0+1+2+3,dram=1G,name=four -w dev=11,dram=3G
}

# Files that may not be read: of the device, of a process, of TT-Metal.
make_unreadable() {
	machine -b n150,p150a,p150a -w dev=0,dram=1G,name=seen -w dev=1+2,dram=2G,name=hidden,uid=1000
	chmod 0 "$(class 0)/tt_serial" "$(class 0)/device/hwmon/"*/temp1_input \
		"$D/proc/1002/fd" "$D/proc/1002/maps" "$D/proc/driver/tenstorrent/2/pids" \
		"$(metal_file 1)"
}

# TT-Metal's file for a device.
metal_file() {
	printf '%s/dev/shm/tt_device_%u_memory\n' "$D" "0x$(cat "$(class "$1")/tt_asic_id")"
}

# Invalid content of files: it must not be shown, and must not affect anything else.
make_garbage() {
	local c
	machine -b n150,p150a,n150,p150a -w dev=0,dram=1G,name=job
	c=$(class 0)
	printf '\033[31mred\n' >"$(file "$c/tt_card_type")"
	printf -- '-5\n' >"$(file "$c/tt_aiclk")"
	printf '99999999999999999999999\n' >"$(file "$c/tt_axiclk")"
	printf '540\nand more\n' >"$(file "$c/tt_arcclk")"
	printf '45' >"$(file "$c/device/hwmon/hwmon0/temp1_input")"
	head -c 1048576 /dev/zero | tr '\0' 7 >"$(file "$c/device/hwmon/hwmon0/power1_input")"
	head -c 4096 /dev/zero | tr '\0' '\377' >"$(file "$c/device/hwmon/hwmon0/in0_input")"
	printf '0x1A\n' >"$(file "$c/device/hwmon/hwmon0/curr1_input")"
	printf '18.x.0.0\n' >"$(file "$c/tt_fw_bundle_ver")"
	printf 'not a number\n12\n' >"$(file "$D/proc/driver/tenstorrent/0/pids")"
	c=$(class 1)
	# Wrong readings that drivers before 2.9 return after a flash: -32 degrees, four kilowatts.
	printf '4080000000\n' >"$(file "$c/device/hwmon/hwmon1/power1_input")"
	printf '65504000\n' >"$(file "$c/device/hwmon/hwmon1/temp1_input")"
	printf '2800000\n' >"$(file "$c/device/hwmon/hwmon1/fan1_input")"
	printf '3210000\n' >"$(file "$c/device/hwmon/hwmon1/in0_input")"
	rm "$c/tt_serial" "$c/tt_asic_id"
	mkdir "$c/tt_serial"
	ln -s tt_asic_id "$c/tt_asic_id"
	: >"$(file "$c/tt_heartbeat")"
	# A file in the place of a directory, a directory that is not a device, a dangling link.
	rm -r "$(class 2)/pcie_perf_counters" "$(class 2)/device/hwmon"
	: >"$(class 2)/pcie_perf_counters"
	mkdir "$D/sys/class/tenstorrent/tenstorrent!x" "$D/sys/class/tenstorrent/tenstorrent!03" \
		"$D/sys/class/tenstorrent/tenstorrent!99999999999"
	rm "$(class 3)/device"
	ln -s /nowhere "$(class 3)/device"
}

# Owners, namespaces, many opens, and names with special characters.
make_processes() {
	local id=4c0e1b2a9d8f7e6a5b4c3d2e1f00112233445566778899aabbccddeeff001122
	machine -b n150,p150a \
		-w dev=0,dram=1G,name=docker,cgroup=/system.slice/docker-$id.scope \
		-w dev=0,dram=64M,name=pod,uid=1000 \
		-w dev=1,dram=1G,name=slurm,uid=1000,cgroup=/system.slice/slurmstepd.scope/job_4711/step_0/user/task_0 \
		-w dev=1,via=none,name=unit,cgroup=/system.slice/inference.service \
		-w 'dev=1,dram=3M,opens=5,name=/usr/bin/python3.11,args=-u /srv/models/a/run.py --x' \
		-w 'dev=0+1,dram=512K,name=/opt/a very long name of a program that does not fit,uid=4242' \
		-w dev=0,dram=256M,name=elsewhere
	# The last one is in a sibling namespace: the driver lists it as 0, /proc not at all.
	rm -r "$D/proc/1007"
	sed -i 's/^1007$/0/' "$(file "$D/proc/driver/tenstorrent/0/pids")"
	echo "0::/kubepods.slice/kubepods-pod12345678_1234_1234_1234_123456789abc.slice/cri-containerd-$id.scope" \
		>"$(file "$D/proc/1002/cgroup")"
	sed -i 's/^NSpid:.*/NSpid:\t1001\t17/' "$(file "$D/proc/1001/status")"
	# Its slot, the first one, has its pid in its own namespace.
	printf '\021\0\0\0' | dd of="$(metal_file 0)" bs=1 seek=856 conv=notrunc status=none
}

# Slots of exited processes in TT-Metal's file.
make_stale() {
	machine -b n150,p150a -w dev=0,dram=1G,name=alive -w dev=0+1,dram=5G,l1=1M,name=dead -w dev=1,dram=2G,name=reborn
	rm -r "$D/proc/1002"
	printf '1001\n' >"$(file "$D/proc/driver/tenstorrent/0/pids")"
	# Another process has the number of the third, and started after the slot was written.
	sed -i 's/^\(1003 ([^)]*) .*\) [0-9]* \([0-9]* [0-9]* 18446744073709551615 .*\)/\1 99999999 \2/' "$(file "$D/proc/1003/stat")"
}

# Traced processes with every state: exact, since the attach, unreliable, without memory; beside
# processes that TT-Metal counts, over which tracing takes precedence, and untracked ones.
make_traced() {
	machine -b n300,2xp150a \
		-w 'dev=1+2,dram=6G,trace=256M,l1=40M,l1_small=1M,via=traced,name=python3,args=serve.py,uid=1000' \
		-w dev=1,dram=2G,l1=8M,via=traced,state=since-attach,name=early \
		-w dev=2,dram=1G,via=traced,state=missed-free,name=leaky \
		-w dev=1,via=traced,name=idle -w dev=0,dram=3G,l1=1M,name=outdone -w dev=0,via=none,name=shell \
		-w dev=0,dram=2G,l1=2M,name=fallback
	# TT-Metal also counts two of them: of one the trace is exact, of the other unreliable.
	sed -i '3i\
1005 outdone 1073741824 1048576 0 0 1 0 0 9964000 exact\
1007 fallback 1 0 0 0 1 0 0 9976000 unreliable:mesh' "$(file "$D/run/tt-smi/bpf/allocations")"
}

# The driver has no lists, and some processes cannot be read: the tracer's list has their devices.
make_traced_old() {
	machine -b n150,p150a --driver 2.4.0 -w dev=0+1,dram=1G,via=traced,name=ours -w dev=1,dram=2G,via=traced,name=theirs \
		-w dev=1,via=none,name=gone
	chmod 0 "$D/proc/1002/fd" "$D/proc/1002/maps"
	rm -r "$D/proc/1003"
}

# Compute utilisation: each kind of bound, a share below 1 %, a program that does not end, reasons for none, a job
# that is not measured beside one that is, several on one device, and a device without a job.
make_measured() {
	machine -b 6xn150,n300,p150a,2xn150 -w dev=0,dram=1G,busy=85,name=exact -w dev=1,dram=1G,busy=70.8,bound=lower,name=lower \
		-w dev=2,dram=1G,busy=79.3,bound=upper,name=upper -w dev=3,dram=1G,busy=100,running=12,name=hangs \
		-w dev=4,dram=1G,busy=50,name=measured -w dev=4,via=none,name=shell \
		-w dev=5,dram=1G,busy=30,name=first -w dev=5,dram=1G,busy=40,name=second \
		-w dev=6+7,dram=1G,busy=not-covered,name=unmeasured -w dev=9,dram=1G,busy=0.3,name=rare
}

# A telemetry collector on every device: beside a job, alone, beside a user's process with the name of
# another monitor, and beside a monitor that /etc/tt-smi/monitors names.
make_monitors() {
	machine -b n300,p150a,n150,p150a -w via=monitor -w dev=0,dram=3G,l1=1M,name=job,uid=1000 \
		-w dev=2,via=none,name=tt-smi,uid=1000 -w dev=3,via=none,name=site-watch
	mkdir -p "$D/etc/tt-smi"
	printf '# ours\nsite-watch\n' >"$D/etc/tt-smi/monitors"
}

make_observed_wormhole() {
	cp -a "$HERE/../trees/observed-wormhole" "$D"
}

make_observed_blackhole() {
	cp -a "$HERE/../trees/observed-blackhole" "$D"
}

# file PATH: makes the file writable and prints its path.
file() {
	chmod u+w "$1"
	echo "$1"
}
