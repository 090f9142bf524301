#!/usr/bin/env bats
# tt_smi doctor on recorded machines: each problem, and its fix.
# METAL_FILES: the folder of files that look like TT-Metal's library (tests/unit/metal).

load helpers
load machines

# doctor [OPTIONS]: examines $D; its text is in $output, its exit status in $status.
doctor() {
	run "$TT_SMI" doctor --root "$D" "$@" 3>&-
	echo "$output"
}

# says LEVEL TEXT [LINE]: the output has this finding, and below it this line, which is a fix or a
# detail.
says() {
	local line
	line=$(grep -nF -- "$2" <<<"$output" | grep -E "^[0-9]+:  $1 " | head -n 1)
	[ -n "$line" ] || { echo "not said: $1 $2"; return 1; }
	[ $# -lt 3 ] || tail -n "+$((${line%%:*} + 1))" <<<"$output" |
		sed '/^        /!q' | grep -qF -- "$3" || { echo "not below it: $3"; return 1; }
}

# sysfs_file N NAME: finds a file of device N, makes it writable and prints its path.
sysfs_file() {
	local folder
	for folder in "$(class "$1")" "$(class "$1")/device" "$(class "$1")/device/hwmon/"*; do
		[ ! -e "$folder/$2" ] || file "$folder/$2"
	done
}

# untracked [OPTIONS]: a machine with one untracked process, pid 1001
untracked() {
	machine -b n150 -w dev=0,via=none,name=python3 "$@"
}

# loads FILE: the process maps it as code.
loads() {
	mkdir -p "$D/opt/lib"
	cp "$METAL_FILES/$1" "$D/opt/lib/$1.so"
	echo "7f0000000000-7f0000100000 r-xp 00000000 08:01 4711    /opt/lib/$1.so" >>"$(file "$D/proc/1001/maps")"
}

@test "a machine on which all is known is healthy" {
	make_machine n150
	doctor
	[ "$status" = 0 ]
	says ok "loaded, version 2.10.1"
	says ok "0: n150"
	says ok "1 node of /dev/tenstorrent accessible"
	says ok "1001 python3 serve.py"
	[[ "$output" = *"known: TT-Metal counters"* ]]
	not grep -E '^  (warn|fail) ' <<<"$output"
	[ "$(head -n 1 <<<"$output")" = "SIMULATED machine at $D" ]
}

@test "compute utilisation: not measured, a bound, unknown" {
	make_machine n150
	doctor
	says note "not measured" "sudo tt_smi trace start --watch"
	rm -rf "$D"
	make_machine measured
	doctor
	says note "unknown: Ethernet dispatch is not measured" "for an upper bound"
	says note "unknown: not measured without IOMMU" "enable the IOMMU"
	says note "unknown: not traced" "sudo tt_smi trace start --watch"
	says note "device 1: a lower bound: not every launch is followed"
	says note "a lower bound: not every launch is followed" "--programs, and restart the programs"
	says note "device 4: a lower bound: a job on it is not measured"
	not says note "a lower bound: a job on it is not measured" "--programs"
	says note "an upper bound: programs that wait are included"
	says note "upper, device 2: only an upper bound: TT-Metal before v0.71 has no profiler" "use TT-Metal v0.71 or later"
	not says note "upper, device 2: only an upper bound" "for an upper bound"
	rm -rf "$D"
	machine -b 2xn150 -w dev=0,dram=1G,busy=unknown-layout,name=refused -w dev=1,dram=1G,busy=85,name=known
	doctor
	says note "refused, device 0: unknown: layout of the profiler not known" "a release of TT-Metal that"
	[[ $output != *" known, device 1"* ]]
}

@test "no process has a device open" {
	machine -b p150a --no-workloads
	doctor
	[ "$status" = 0 ]
	says ok "no process has a device open"
}

@test "no driver, no device, no machine" {
	mkdir "$D"
	doctor
	[ "$status" = 5 ]
	says fail "the Tenstorrent driver is not loaded" "sudo modprobe tenstorrent"
	machine -b n150 --no-workloads
	rm -r "$D/sys/class/tenstorrent/"*
	doctor
	[ "$status" = 5 ]
	says fail "no Tenstorrent device present" lspci
	run "$TT_SMI" doctor --root /nowhere
	[ "$status" = 2 ]
	[[ "$output" = "tt_smi: --root /nowhere: "* ]]
}

@test "cards on the bus that the driver does not serve" {
	machine -b n150,p150a,p150a --no-workloads --fault unbound:1 --fault vfio:2
	doctor
	[ "$status" = 5 ]
	says fail "0000:02:00.0: p150a: on the bus, but no driver is bound to it" "echo 0000:02:00.0 | sudo tee /sys/bus/pci/drivers/tenstorrent/bind"
	says note "0000:03:00.0: p150a: bound to vfio-pci" "/sys/bus/pci/devices/0000:03:00.0/driver/unbind"
	rm -r "$D/sys/class/tenstorrent" "$D"/sys/bus/pci/devices/*/driver
	doctor
	[ "$status" = 5 ]
	says fail "the Tenstorrent driver is not loaded, though 3 cards are on the bus (0000:01:00.0, 0000:02:00.0, 0000:03:00.0)" "sudo modprobe tenstorrent"
	says fail "0000:01:00.0: n150: on the bus"
}

@test "old drivers: the missing features of each" {
	machine -b n150 --no-workloads --driver 2.8.0
	doctor
	[ "$status" = 0 ]
	says note "before 2.9" "upgrade tt-kmd to 2.9"
	not grep -q 'before 2.7' <<<"$output"
	rm -rf "$D"
	machine -b n150 --no-workloads --driver 2.4.0
	doctor
	[ "$status" = 1 ]
	says warn "before 2.7" "upgrade tt-kmd to 2.7"
	says warn "before 2.5: no list of processes that have a device open" "upgrade tt-kmd to 2.5"
	chmod -R u+w "$D"
	rm -rf "$D"
	make_machine traced-old
	doctor
	says note "before 2.5: no list of processes that have a device open; the tracer's list is used"
	not grep -q "only root sees" <<<"$output"
	rm -r "$D/run/tt-smi"
	run mortal "$TT_SMI" doctor --root "$D" 3>&-
	echo "$output"
	says warn "not known which processes have it open" "sudo tt_smi trace start: its list"
}

@test "chips that are dead or do not respond, firmware that differs" {
	make_machine dead
	doctor
	[ "$status" = 5 ]
	says fail "0: " "tt-smi -r 0"
	rm -rf "$D"
	machine -b 2xp150a --no-workloads
	doctor
	[ "$status" = 0 ]
	echo 18.12.0.0 >"$(file "$(class 1)/tt_fw_bundle_ver")"
	doctor
	[ "$status" = 1 ]
	says warn "0 and 1 are the same kind of board, but run firmware" tt-flash
}

@test "late telemetry: wait for a Wormhole, bind a Blackhole again" {
	make_machine no-telemetry
	doctor
	[ "$status" = 1 ]
	says warn "0: n150: no readings: firmware has not published any" "wait: "
	says warn "0: n150: no readings" "if none appear, the firmware is too old: flash"
	says warn "1: p150a: no readings: firmware had not published any when the driver was bound" \
		"fix: echo 0000:02:00.0 | sudo tee /sys/bus/pci/drivers/tenstorrent/unbind && echo 0000:02:00.0 | sudo tee /sys/bus/pci/drivers/tenstorrent/bind"
	says warn "1: p150a" "stop the processes that have device 1 open"
	[ "$(grep -c flash <<<"$output")" = 1 ]
	says ok "2: p100a"
	rm -rf "$D"
	machine -b p150a --fault no-telemetry:0 --no-workloads
	doctor
	says warn "0: p150a: no readings" "/sys/bus/pci/drivers/tenstorrent/unbind"
	not grep -q "end the processes" <<<"$output"
}

@test "unreadable files of a device are not missing telemetry" {
	machine -b p150a --no-workloads
	chmod 0 "$(class 0)/"
	run mortal "$TT_SMI" doctor --root "$D" 3>&-
	chmod 0755 "$(class 0)/"
	echo "$output"
	says warn "no permission to read its files" "sudo tt_smi doctor"
	not grep -q unbind <<<"$output"
}

@test "two samples distinguish hung firmware from running firmware" {
	start -b n150,p150a --no-workloads --fault frozen:1
	doctor
	[ "$status" = 5 ]
	says fail "1: p150a: firmware hangs: its heartbeat has stopped" "tt-smi -r 1"
	not grep -q "ok .* 1: p150a" <<<"$output"
}

@test "a machine whose firmware runs is healthy" {
	start -b n150,p150a --no-workloads --load 0
	healthy() {
		doctor && [ "$status" = 0 ] && says ok "0: n150" && says ok "1: p150a"
	}
	eventually healthy
	not grep -q "whether firmware runs" <<<"$output"
}

@test "jobs that were not observed: the fix is the tracer" {
	machine -b n150 --no-workloads
	doctor --only dirty
	says note "unknown whether a job was killed or crashed on 0: not observed since" "sudo tt_smi trace start"
	doctor
	not grep -q "whether a job was killed" <<<"$output"
}

@test "a recording cannot show whether firmware runs, nor can a driver without heartbeat" {
	machine -b 2xn150 --no-workloads
	doctor
	[ "$status" = 0 ]
	says note "unknown whether firmware runs on 0, 1 (heartbeat: it takes two samples"
	rm -rf "$D"
	start -b 2xn150 --no-workloads --fault missing:1/tt_heartbeat
	doctor
	says note "unknown whether firmware runs on 1 (heartbeat: not offered"
}

@test "too hot, at the limit, just below; shutdowns; the power limit is not a problem" {
	machine -b p150a --no-workloads
	echo 95000 >"$(sysfs_file 0 temp1_input)"
	doctor
	[ "$status" = 5 ]
	says fail "0: p150a: too hot: 95.0 C, with a limit of 90.0 C" "check fans"
	not grep -q "ok .* 0: p150a" <<<"$output"
	echo 90000 >"$(sysfs_file 0 temp1_input)"
	doctor
	says fail "too hot: 90.0 C"
	echo 89900 >"$(sysfs_file 0 temp1_input)"
	doctor
	[ "$status" = 1 ]
	says warn "0: p150a: hot: 89.9 C, close to its limit of 90.0 C" "check fans"
	echo 84900 >"$(sysfs_file 0 temp1_input)"
	doctor
	[ "$status" = 0 ]
	says ok "0: p150a"
	cat "$(sysfs_file 0 power1_max)" >"$(sysfs_file 0 power1_input)"
	doctor
	[ "$status" = 0 ]
	says ok "0: p150a, firmware 19.8.0.0; at its power limit, as under full load"
	echo 1 >"$(sysfs_file 0 tt_therm_trip_count)"
	doctor
	[ "$status" = 1 ]
	says warn "0: p150a: 1 thermal shutdown since the card was powered on" "check fans"
	not grep -q "ok .* 0: p150a" <<<"$output"
	echo 95000 >"$(sysfs_file 0 temp1_input)"
	doctor
	says fail "too hot"
	says warn "1 thermal shutdown"
}

@test "a PCIe link below the capability of both ends" {
	local port
	machine -b p150a,n150 -w dev=1,dram=1G,name=job
	echo "2.5 GT/s PCIe" >"$(sysfs_file 0 current_link_speed)"
	echo 4 >"$(sysfs_file 0 current_link_width)"
	doctor
	[ "$status" = 1 ]
	says warn "0: p150a: PCIe link at generation 1 x4, card and slot support generation 5 x16" "reseat the card"
	says ok "1: n150"
	# Only the speed, only the width.
	echo 16 >"$(sysfs_file 0 current_link_width)"
	doctor
	says warn "PCIe link at generation 1 x16"
	echo "32.0 GT/s PCIe" >"$(sysfs_file 0 current_link_speed)"
	echo 8 >"$(sysfs_file 0 current_link_width)"
	doctor
	[ "$status" = 1 ]
	says warn "PCIe link at generation 5 x8"
	# The slot can do no more.
	port=$(realpath "$(class 0)/device/..")
	echo 8 >"$(file "$port/max_link_width")"
	doctor
	[ "$status" = 0 ]
	says ok "0: p150a"
	echo "16.0 GT/s PCIe" >"$(file "$port/max_link_speed")"
	echo "16.0 GT/s PCIe" >"$(sysfs_file 0 current_link_speed)"
	doctor
	[ "$status" = 0 ]
	echo "8.0 GT/s PCIe" >"$(sysfs_file 0 current_link_speed)"
	doctor
	says warn "PCIe link at generation 3 x8, card and slot support generation 4 x8"
	# No port above it (a virtual machine): by what the card can do.
	rm "$port/max_link_width" "$port/max_link_speed"
	doctor
	says warn "support generation 5 x16"
}

@test "an idle Wormhole may slow its link down, but not reduce its lanes" {
	machine -b n150 --no-workloads
	echo "2.5 GT/s PCIe" >"$(sysfs_file 0 current_link_speed)"
	doctor
	[ "$status" = 0 ]
	says note "0: n150: PCIe link at generation 1 x16" "while a program uses the card"
	says ok "0: n150"
	echo 4 >"$(sysfs_file 0 current_link_width)"
	doctor
	[ "$status" = 1 ]
	says warn "0: n150: PCIe link at generation 1 x4"
	rm -rf "$D"
	# A monitor does not use the card.
	machine -b n150 -w via=monitor
	echo "2.5 GT/s PCIe" >"$(sysfs_file 0 current_link_speed)"
	doctor
	[ "$status" = 0 ]
	says note "0: n150: PCIe link at generation 1 x16" "while a program uses the card"
	rm -rf "$D"
	make_machine n150
	echo "2.5 GT/s PCIe" >"$(sysfs_file 0 current_link_speed)"
	doctor
	[ "$status" = 1 ]
	says warn "0: n150: PCIe link at generation 1 x16"
}

@test "a Galaxy has eight lanes where the bus ends in 6, elsewhere one" {
	local all i
	machine -b galaxy-wormhole@c6,galaxy-wormhole@c1,galaxy-blackhole@46 --no-workloads
	all=$(cd "$D/sys/class/tenstorrent" && ls | sed 's/.*!//')
	set_lanes() { for i in $all; do echo "$1" >"$(sysfs_file "$i" current_link_width)"; done; }
	for i in $all; do echo 16 >"$(sysfs_file "$i" max_link_width)"; done
	set_lanes 1
	doctor
	[ "$status" = 1 ]
	[ "$(grep -c "PCIe link at" <<<"$output")" = 2 ]
	says warn "galaxy-wormhole: PCIe link at generation 4 x1, card and slot support generation 4 x8"
	says warn "galaxy-blackhole: PCIe link at generation 4 x1, card and slot support generation 4 x8"
	set_lanes 8
	doctor
	[ "$status" = 0 ]
	not grep -q "PCIe link at" <<<"$output"
}

@test "processes with the same problem are grouped, with the fix once" {
	machine -b n150,p150a -w dev=0,via=none,name=first -w dev=1,via=none,name=second -w dev=0+1,via=none,name=third \
		-w dev=0,via=none,name=other
	chmod 0 "$D/proc/1004/maps"
	run mortal "$TT_SMI" doctor --root "$D" 3>&-
	echo "$output"
	[ "$(grep -c "man 3 libttalloc" <<<"$output")" = 1 ]
	for name in "1001 first of root, device 0" "1002 second of root, device 1" "1003 third of root, device 0,1"; do
		says warn "  memory unknown: it has not loaded TT-Metal" "          $name"
	done
	says warn "  memory unknown: it has not loaded TT-Metal" "fix: report its memory through libttalloc"
	says warn "  1004 other of root, device 0: memory unknown: only its user and root may see"
	# In JSON each process has its own finding, with the fixes.
	"$TT_SMI" doctor --root "$D" --json >"$WORK/json" 3>&- || [ $? = 1 ]
	python3 - "$WORK/json" <<-'END'
		import json, sys
		findings = [f for f in json.load(open(sys.argv[1]))["findings"] if "pid" in f]
		assert [f["pid"] for f in findings] == [1001, 1002, 1003, 1004], findings
		assert findings[1]["text"].startswith("1002 second of root, device 1: memory unknown: ")
		assert all(f["fixes"] for f in findings)
	END
}

@test "an opener that exited is not another pid namespace" {
	machine -b n150 -w dev=0,dram=1G,name=job -w dev=0,dram=2G,name=opener
	rm -r "$D/proc/1002"
	chmod 0 "$D/proc/1001/fd" "$D/proc/1001/maps"
	run mortal "$TT_SMI" doctor --root "$D" 3>&-
	echo "$output"
	[ "$status" = 1 ]
	says warn "device 0: open 1 time through descriptors whose opener has exited" "sudo tt_smi doctor"
	says note "still list process 1002 (opener), which is not among the visible holders (opener gone, holder not visible)"
	not grep -q namespace <<<"$output"
}

@test "a missing tracer is reported as missing, a build without tracing as such" {
	mkdir "$WORK/bin"
	cp "$TT_SMI" "$WORK/bin/tt_smi"
	run "$WORK/bin/tt_smi" doctor 3>&-
	echo "$output"
	if [ -e "$(dirname "$TT_SMI")/tt_smi-trace" ]; then
		says note "the program tt_smi-trace is missing (searched beside tt_smi, last at $WORK" "sudo make install"
		not grep -q "built without" <<<"$output"
	else
		says note "not available: tt_smi was built without tracing" "libbpf-dev"
	fi
}

@test "nodes that are missing or private" {
	machine -b 2xn150 --no-workloads
	rm "$D/dev/tenstorrent/0"
	chmod 0600 "$D/dev/tenstorrent/1"
	doctor
	[ "$status" = 5 ]
	says fail "/dev/tenstorrent/0: No such file" "--device /dev/tenstorrent/0"
	says warn "/dev/tenstorrent/1 is not accessible to all users: mode 0600, uid $(id -u), gid $(id -g)" \
		"chmod 0666 /dev/tenstorrent/1"
	not grep -q "of /dev/tenstorrent accessible" <<<"$output"
}

@test "a node is open to all users if they may both read and write it" {
	local mode
	machine -b 3xn150 --no-workloads
	for mode in 0660 0604 0602 0600 1660; do
		chmod $mode "$D/dev/tenstorrent/1"
		doctor
		[ "$status" = 1 ]
		says warn "/dev/tenstorrent/1 is not accessible to all users: mode $mode"
		says ok "2 nodes of /dev/tenstorrent accessible"
	done
	for mode in 0666 0606 1777; do
		chmod $mode "$D/dev/tenstorrent/1"
		doctor
		[ "$status" = 0 ]
		says ok "3 nodes of /dev/tenstorrent accessible"
	done
}

@test "huge pages: none, not mounted, some, not needed" {
	local pages=sys/kernel/mm/hugepages/hugepages-1048576kB bdf
	machine -b 2xn150 --no-workloads
	doctor
	[ "$status" = 0 ]
	says note "not recorded in this tree"
	mkdir -p "$D/$pages"
	echo 0 | tee "$D/$pages/nr_hugepages" >"$D/$pages/free_hugepages"
	echo "none /dev/hugepages hugetlbfs rw,pagesize=2M 0 0" >"$D/proc/mounts"
	doctor
	[ "$status" = 1 ]
	says warn "0 of 1 GiB, 0 free; without IOMMU: 2 chips" tenstorrent-hugepages.service
	says warn "no hugetlbfs with pages of 1 GiB is mounted" pagesize=1G
	# A program needs at least one page per chip; whether that is enough depends on the program.
	echo 1 >"$D/$pages/nr_hugepages"
	echo "none /dev/hugepages-1G hugetlbfs rw,relatime,pagesize=1024M 0 0" >>"$D/proc/mounts"
	doctor
	[ "$status" = 1 ]
	says warn "1 of 1 GiB, 0 free; without IOMMU: 2 chips" tenstorrent-hugepages.service
	echo 2 >"$D/$pages/nr_hugepages"
	doctor
	[ "$status" = 0 ]
	says ok "2 of 1 GiB, 0 free; without IOMMU: 2 chips"
	echo 0 >"$D/$pages/nr_hugepages"
	for bdf in "$D"/sys/bus/pci/devices/*; do
		mkdir -p "$bdf/iommu_group"
		echo DMA-FQ >"$bdf/iommu_group/type"
	done
	doctor
	[ "$status" = 0 ]
	says ok "not needed: the IOMMU translates for all cards"
	for bdf in "$D"/sys/bus/pci/devices/*; do echo identity >"$bdf/iommu_group/type"; done
	doctor
	[ "$status" = 1 ]
}

@test "a process without TT-Metal" {
	untracked
	doctor
	[ "$status" = 1 ]
	says warn "it has not loaded TT-Metal" libttalloc
}

@test "a library that was replaced while the program runs" {
	untracked
	echo "7f0000000000-7f0000100000 r-xp 00000000 08:01 4711    /opt/lib/libtt_metal.so (deleted)" \
		>>"$(file "$D/proc/1001/maps")"
	doctor
	[ "$status" = 1 ]
	says warn "a file that it has loaded was replaced on disk" "sudo tt_smi doctor"
}

@test "a TT-Metal without counters, tracing off and on" {
	untracked
	loads v60
	doctor
	[ "$status" = 1 ]
	says warn "TT-Metal v0.60 to v0.65 (/opt/lib/v60.so) has no counters of its own" "sudo tt_smi trace start"
	says warn "tracing is off" "tt_smi run -- COMMAND"
	says warn "tracing is off" "TT-Metal v0.70 or later"
	says note "off: memory of programs that do not report it" "sudo tt_smi trace start"
}

@test "a TT-Metal with counters but without figures: disabled, in a container, or unknown" {
	untracked
	loads v77
	doctor
	says warn "TT-Metal v0.77 or later (/opt/lib/v77.so) has published nothing" "sudo tt_smi trace start"
	printf 'HOME=/root\0TT_METAL_SHM_TRACKING_DISABLED=0\0' >"$D/proc/1001/environ"
	doctor
	says warn "has published nothing"
	printf 'HOME=/root\0TT_METAL_SHM_TRACKING_DISABLED=1\0' >"$D/proc/1001/environ"
	doctor
	says warn "disabled (TT_METAL_SHM_TRACKING_DISABLED)" "start it without TT_METAL_SHM_TRACKING_DISABLED"
	rm "$D/proc/1001/environ"
	sed -i 's/^NSpid:.*/NSpid:\t1001\t17/' "$(file "$D/proc/1001/status")"
	doctor
	says warn "container's own /dev/shm, which is not in this tree" "sudo tt_smi doctor, on the machine itself"
}

@test "a TT-Metal that cannot be traced has a reason" {
	untracked
	loads untracked_no_plt
	doctor
	says warn "it cannot be traced (no-throw: failed allocations cannot be distinguished from successful ones)" "tt_smi run -- COMMAND"
	not grep -q "tracing is off" <<<"$(grep ' 1001 ' <<<"$output")"
	rm -rf "$D"
	untracked
	loads unknown
	doctor
	says warn "is of an unknown version" libttalloc
}

@test "processes of another user" {
	make_machine unreadable
	run mortal "$TT_SMI" doctor --root "$D" 3>&-
	echo "$output"
	[ "$status" = 1 ]
	says warn "TT-Metal's counters belong to another user" "sudo tt_smi"
	chmod -R u+rwx "$D"
	rm -rf "$D"
	untracked
	loads v77
	chmod 0 "$D/proc/1001/maps"
	run mortal "$TT_SMI" doctor --root "$D" 3>&-
	echo "$output"
	says warn "only its user and root may see" "sudo tt_smi doctor"
}

@test "processes that are not visible, and memory left by exited ones" {
	make_machine processes
	doctor
	[ "$status" = 1 ]
	says warn "device 0: open 2 times in processes outside this pid namespace" "--pid=host"
	rm -rf "$D"
	make_machine stale
	doctor
	says note "which no longer holds it: not counted"
}

@test "JSON has the same findings" {
	untracked
	loads v60
	doctor
	printf '%s\n' "$output" >"$WORK/text"
	"$TT_SMI" doctor --root "$D" --json >"$WORK/json" 3>&- || [ $? = 1 ]
	[ "$(wc -l <"$WORK/json")" = 1 ]
	python3 - "$WORK/json" "$WORK/text" <<-'END'
		import json, sys
		document = json.load(open(sys.argv[1]))
		text = open(sys.argv[2]).read()
		assert document["schema_version"] == 1 and document["simulated"] and not document["healthy"]
		assert len(document["findings"]) == sum(line.startswith("  ") and line[2] != " " for line in text.splitlines())
		for finding in document["findings"]:
		    assert f"  {finding['level']:4}  {finding['text']}\n" in text
		    assert all(f"fix: {fix}\n" in text for fix in finding["fixes"])
		assert [f["pid"] for f in document["findings"] if "pid" in f] == [1001]
	END
}

@test "its documents match docs/doctor-schema.json" {
	/usr/bin/python3 -c 'import jsonschema' 2>/dev/null || skip "python3-jsonschema is not installed"
	for name in n150 dead processes stale traced observed-wormhole driver-2.4; do
		[ ! -e "$D" ] || chmod -R u+w "$D"
		rm -rf "$D"
		make_machine "$name"
		"$TT_SMI" doctor --root "$D" --json >>"$WORK/json" 3>&- || [[ $? =~ ^(1|5)$ ]]
	done
	mkdir "$WORK/empty"
	"$TT_SMI" doctor --root "$WORK/empty" --json >>"$WORK/json" 3>&- || [[ $? =~ ^(1|5)$ ]]
	/usr/bin/python3 - "$WORK/json" "$HERE/../../docs/doctor-schema.json" <<-'END'
		import json, sys
		import jsonschema
		schema = json.load(open(sys.argv[2]))
		jsonschema.Draft202012Validator.check_schema(schema)
		documents = [json.loads(line) for line in open(sys.argv[1])]
		assert len(documents) == 8
		for document in documents:
		    jsonschema.Draft202012Validator(schema).validate(document)
		    bad = any(finding["level"] in ("warn", "fail") for finding in document["findings"])
		    assert document["healthy"] != bad
		seen = {finding["section"] for document in documents for finding in document["findings"]}
		listed = schema["properties"]["findings"]["items"]["properties"]["section"]["enum"]
		assert seen == set(listed), seen ^ set(listed)
	END
}

@test "foreign names do not break the terminal; the state needs no colour" {
	machine -b n150 -w "$(printf 'dev=0,via=none,name=a\033[31mb')"
	doctor
	[[ "$output" != *$'\033'* ]]
	doctor --color=always
	[[ "$output" = *$'\033[33mwarn'* ]]
}

@test "unknown options, and its help" {
	run "$TT_SMI" doctor --no-such-option
	[ "$status" = 2 ]
	[[ "$output" = "tt_smi: unknown option"* ]]
	run "$TT_SMI" doctor -h
	[ "$status" = 0 ]
	[[ "$output" = *"Exit status: 0 no problem; 1 warnings; 5 failures"* ]]
}

@test "traced processes: known, since the attach, unreliable, not attached" {
	make_machine traced
	doctor
	[ "$status" = 1 ]
	says ok "on: /run/tt-smi/bpf/allocations"
	says ok "1001 python3 serve.py of user, device 1,2: known: Traced"
	says warn "1002 early of root, device 1: a lower bound: Traced (since attach)" "restart it"
	says warn "a lower bound" "sudo tt_smi trace start, once it has"
	says warn "1003 leaky of root, device 2: memory unknown: tracing unreliable" "tt_smi run -- COMMAND"
	says ok "1004 idle"
	sed -i s/unreliable:missed-free/unreliable:unknown-shape/ "$(file "$D/run/tt-smi/bpf/allocations")"
	doctor
	says warn "1003 leaky of root, device 2: memory unknown: tracing unreliable: unknown library" libttalloc
	mkdir -p "$D/opt/lib"
	cp "$METAL_FILES/v66" "$D/opt/lib/libtt_metal.so"
	echo "7f0000000000-7f0000100000 r-xp 00000000 08:01 4711    /opt/lib/libtt_metal.so" >>"$(file "$D/proc/1006/maps")"
	doctor
	says warn "tracing is on, but not for this library" "sudo tt_smi trace start"
	chmod 0 "$D/run/tt-smi/bpf/allocations"
	run mortal "$TT_SMI" doctor --root "$D" 3>&-
	says warn "is not readable" "sudo tt_smi trace stop"
}
