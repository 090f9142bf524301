#!/usr/bin/env bats
# tt_smi check, which prints one line and sets an exit code: each problem that it finds, and machines
# without the problem. tt_smi doctor must have the same findings.

load helpers
load machines

# check [OPTIONS]: runs tt_smi check on $D; its line is in $output, its exit status in $status.
check() {
	run "$TT_SMI" check --root "$D" "$@" 3>&-
	echo "check $*: $status: $output"
}

# is CODE TEXT [OPTIONS]: check ends with this code and prints one line with this text.
is() {
	local code=$1 text=$2
	shift 2
	check "$@"
	[ "$status" = "$code" ]
	[[ "$output" = "TT_SMI "*"$text"* ]]
	[ "${#lines[@]}" = 1 ]
}

# explained CODE TEXT [OPTIONS]: doctor ends with this code, and its output has this text.
explained() {
	local code=$1 text=$2
	shift 2
	run "$TT_SMI" doctor --root "$D" "$@" 3>&-
	echo "doctor $*: $status: $output"
	[ "$status" = "$code" ]
	[[ "$output" = *"$text"* ]]
}

# again [OPTIONS]: replaces the machine by another one.
again() {
	[ ! -e "$D" ] || chmod -R u+w "$D"
	rm -rf "$D"
	machine "$@"
}

# of N NAME: finds a file of device N, makes it writable and prints its path.
of() {
	local folder
	for folder in "$(class "$1")" "$(class "$1")/device" "$(class "$1")/device/hwmon/"*; do
		[ ! -e "$folder/$2" ] || file "$folder/$2"
	done
}

@test "a healthy machine is ok, with jobs too, and with boards of every kind" {
	make_machine n150
	is 0 "OK: 1 device (SIMULATED)"
	for name in n300 p300 galaxy-wormhole galaxy-blackhole twelve monitors; do
		chmod -R u+w "$D"
		rm -rf "$D"
		make_machine "$name"
		is 0 "OK: "
	done
}

@test "no driver, no device, no machine" {
	mkdir "$D"
	is 2 "CRITICAL: the Tenstorrent driver is not loaded"
	is 2 "the Tenstorrent driver is not loaded" --only pcie
	machine -b n150 --no-workloads
	rm -r "$D/sys/class/tenstorrent/"*
	is 2 "no Tenstorrent device present"
	run "$TT_SMI" check --root /nowhere
	[ "$status" = 3 ]
	[[ "$output" = "TT_SMI UNKNOWN: --root /nowhere: No such file"* ]]
}

@test "wrong usage is unknown" {
	machine -b n150 --no-workloads
	for options in --no-such-option "--only pci" "--only pcie," "--only idle" "--warning heat=5" \
		"--warning fatal" "--critical fatal=x" "--critical fatal=" "--warning power=nan" "--expect 0" "-i ," operand; do
		# shellcheck disable=SC2086 # several words
		check $options
		[ "$status" = 3 ]
		[[ "$output" = "tt_smi: "* ]]
	done
	check --only pci
	[[ "$output" = *"\"pci\" is not one of driver, devices"* ]]
	check --help
	[ "$status" = 0 ]
	run bash -c '"$1" check --root "$2" >/dev/full' - "$TT_SMI" "$D"
	[ "$status" = 3 ]
}

@test "chips that are dead, in a reset or without telemetry" {
	machine -b n150,p150a --no-workloads --fault dead:1
	is 2 "device 1: p150a: not answering"
	is 2 "device 1: p150a: not answering" --only temperature
	is 0 "OK: 1 device" -i 0
	explained 5 "1: p150a: not answering"
	again -b n150,p150a --no-workloads --fault no-telemetry:1
	is 1 "WARNING: device 1: p150a: no readings"
	explained 1 "1: p150a: no readings"
	is 0 OK --only pcie
}

@test "cards without a driver, and with a wrong one" {
	machine -b n150,p150a --no-workloads --fault unbound:1
	is 2 "device 0000:02:00.0: p150a: on the bus, but no driver is bound to it"
	explained 5 "no driver is bound to it" --only driver
	again -b n150,p150a --no-workloads --fault vfio:1
	is 0 "OK: 1 device"
	is 2 "device 0000:02:00.0: p150a: bound to vfio-pci" -i 0000:02:00.0
	ln -sfn ../../../../bus/pci/drivers/nouveau "$D/sys/bus/pci/devices/0000:02:00.0/driver"
	is 2 "device 0000:02:00.0: p150a: bound to nouveau"
	explained 5 "bound to nouveau"
}

@test "as many devices as expected" {
	machine -b n300,p150a --no-workloads
	is 0 "2 devices" --expect 2
	is 2 "2 devices, 3 expected" --expect 3
	is 1 "2 devices, 1 expected" --expect 1
	is 0 OK --expect 1 -i 1
	is 2 "device 7: there is no such device" -i 7
	explained 5 "device 7: there is no such device" -i 7
}

@test "--idle: jobs hold a device, monitors do not" {
	machine -b n150,p150a --no-workloads
	is 0 OK --idle
	again -b n150,p150a -w dev=1,dram=1G,name=train
	is 0 OK
	is 2 "device 1: in use by process 1001 (train" --idle
	is 0 OK --idle -i 0
	again -b n150 -w via=monitor
	is 0 OK --idle
	again -b n150 -w via=monitor -w dev=0,dram=1G,name=train
	is 2 "device 0: in use by process 1002 (train" --idle
	[ "$(grep -o 'in use by' <<<"$output" | wc -l)" = 1 ]
	again -b n150 -w dev=0,via=none,name=elsewhere
	rm -r "$D/proc/1001"
	echo 0 >"$(file "$D/proc/driver/tenstorrent/0/pids")"
	is 2 "in use by a process that is not visible here" --idle
	again -b n150 -w dev=0,via=none,name=hidden
	chmod 0 "$D/proc/driver/tenstorrent/0/pids" "$D/proc/1001/fd" "$D/proc/1001/maps"
	run mortal "$TT_SMI" check --root "$D" --idle
	echo "$output"
	[ "$status" = 3 ]
	[[ "$output" = "TT_SMI UNKNOWN: device 0: unknown whether a job uses it: permission denied"* ]]
}

@test "temperature and power at their limits, shutdowns" {
	machine -b p150a --no-workloads
	echo 84900 >"$(of 0 temp1_input)"
	is 0 OK
	is 1 "hot: 84.9 C, close to its limit of 90.0 C" --warning temperature=10
	echo 85000 >"$(of 0 temp1_input)"
	is 1 "device 0: p150a: hot: 85.0 C, close to its limit of 90.0 C"
	explained 1 "hot: 85.0 C" --only temperature
	is 0 OK --warning temperature=none
	is 2 "hot: 85.0 C" --critical temperature=5
	is 0 OK --only power
	echo 90000 >"$(of 0 temp1_input)"
	is 2 "too hot: 90.0 C, with a limit of 90.0 C"
	echo 50000 >"$(of 0 temp1_input)"
	echo 150000000 >"$(of 0 power1_input)"
	is 0 OK
	is 1 "draws 150 W, with a limit of 150 W" --warning power=100
	echo 165000000 >"$(of 0 power1_input)"
	is 1 "device 0: p150a: draws 165 W, with a limit of 150 W"
	explained 1 "draws 165 W" --only power
	echo 50000000 >"$(of 0 power1_input)"
	echo 1 >"$(of 0 tt_therm_trip_count)"
	is 1 "1 thermal shutdown since the card was powered on"
	is 2 "1 thermal shutdown" --critical trips=1
	is 0 OK --warning trips=2
}

@test "errors that the card and the port above it have counted" {
	for port in "" upstream.; do
		for kind in correctable nonfatal fatal; do
			again -b n150,p150a --no-workloads --fault "errors:1/${port}aer_dev_$kind=1200"
			is 1 "device 1: p150a: 1200 $kind PCIe errors since boot${port:+ at the port above it (0000:00:02.0)}"
			is 2 "1200 $kind" --critical $kind=1200
			is 0 OK --warning $kind=1201
			is 0 OK --only temperature,power
			is 0 OK -i 0
			explained 1 "1200 $kind PCIe errors" --only pcie
		done
	done
	again -b n150 --no-workloads --fault errors:0/aer_dev_correctable=999 --fault missing:0/upstream.aer_dev_fatal
	is 0 OK
	again -b n150 --no-workloads --fault errors:0/aer_dev_fatal=1 --fault unbound:0
	is 2 "1 fatal PCIe error since boot"
	again -b n150 --no-workloads --fault errors:0/upstream.aer_dev_fatal=1 --fault unbound:0
	is 2 "1 fatal PCIe error since boot at the port above it (0000:00:01.0)"
}

@test "the link is judged by what both ends can do" {
	machine -b p150a,galaxy-wormhole@c6,galaxy-wormhole@c3 --no-workloads
	is 0 OK
	again -b p150a,galaxy-wormhole@c6,galaxy-wormhole@c3 --no-workloads --fault set:0/current_link_width=8 \
		--fault set:5/current_link_width=1
	is 1 "device 0: p150a: PCIe link at generation 5 x8, card and slot support generation 5 x16"
	[[ "$output" = *"PCIe link at generation 4 x1, card and slot support generation 4 x8"* ]]
	is 0 OK -i 2
	again -b p150a --no-workloads --fault set:0/current_link_width=8 --fault set:0/upstream.max_link_width=8
	is 0 OK
	again -b p150a --no-workloads --fault "set:0/current_link_speed=8.0 GT/s PCIe"
	is 1 "PCIe link at generation 3 x16"
	explained 1 "PCIe link at generation 3 x16" --only pcie
}

@test "memory without an address" {
	machine -b n150,p150a --no-workloads --fault bars:1
	is 2 "device 1: p150a: no address is assigned to its BAR 0"
	explained 5 "no address is assigned to its BAR 0" --only pcie
	is 0 OK --only devices
	# The kernel may forget the size, too.
	again -b n150 --no-workloads
	sed -i '5s/.*/0x0000000000000000 0x0000000000000000 0x0000000000000000/' "$(of 0 resource)"
	is 2 "no address is assigned to its BAR 4"
	rm "$(of 0 resource)"
	is 0 OK
}

@test "two samples distinguish hung firmware from running firmware" {
	start -b n150,p150a --no-workloads --fault frozen:1
	is 2 "device 1: p150a: firmware hangs"
	is 2 "device 1: p150a: firmware hangs" --only firmware
	is 0 OK -i 0 --only firmware
	stop
	again -b n150 --no-workloads
	is 0 OK
	is 3 "UNKNOWN: unknown whether firmware runs on 0" --only firmware
}

@test "firmware that differs between equal boards" {
	machine -b n150,n150,p150a --no-workloads
	echo 18.12.0.0 >"$(of 2 tt_fw_bundle_ver)"
	is 0 OK
	echo 18.12.0.0 >"$(of 1 tt_fw_bundle_ver)"
	is 1 "0 and 1 are the same kind of board, but run firmware 19.8.0.0 and 18.12.0.0"
	is 0 OK -i 0
}

# pages COUNT: the machine has this many huge pages, mounted.
pages() {
	mkdir -p "$D/sys/kernel/mm/hugepages/hugepages-1048576kB"
	echo "$1" >"$D/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages"
	echo "$1" >"$D/sys/kernel/mm/hugepages/hugepages-1048576kB/free_hugepages"
	echo "none /dev/hugepages-1G hugetlbfs rw,pagesize=1024M 0 0" >"$D/proc/mounts"
}

@test "huge pages for chips without an IOMMU" {
	machine -b 2xn150 --no-workloads
	pages 2
	is 0 OK
	pages 1
	is 1 "1 of 1 GiB, 1 free; without IOMMU: 2 chips"
	explained 1 "1 of 1 GiB" --only hugepages
	mkdir "$(class 1)/device/iommu_group"
	echo DMA-FQ >"$(class 1)/device/iommu_group/type"
	is 0 OK
	echo identity >"$(class 1)/device/iommu_group/type"
	is 1 "without IOMMU: 2 chips"
}

@test "faults in the kernel log" {
	machine -b n150,p150a --no-workloads
	is 0 OK --only kernel
	explained 0 "no faults since boot" --only kernel
	while read -r record text; do
		again -b n150,p150a --no-workloads --fault "log:1=$record"
		is 1 "$text"
		is 0 OK --only driver,devices,pcie
		explained 1 "$text" --only kernel
	done <<-'END'
		aer 1: p150a: uncorrected PCIe errors: 2 since boot
		driver 1: p150a: errors of the driver: 1 since boot
		iommu 1: p150a: accesses to memory that is not mapped for the card (IOMMU faults): 1 since boot
		iommu-amd (IOMMU faults): 1 since boot
		mce machine checks: faults of the processor, its memory or a bus: 1 since boot
	END
}

@test "records of the kernel log that are not faults" {
	machine -b n150,p150a --no-workloads --fault log:1=aer-corrected --fault log:1=forged
	is 0 OK --only kernel
	# records about another device: its address contains that of ours, or is not on this machine
	{
		echo "3,90,1000,-;tenstorrent 0000:12:00.0: chip does not answer"
		echo "3,91,1000,-;DMAR: [DMA Write] Request device [0a:00.0] fault addr 0x3f000"
		echo "3,92,1000,-;pcieport 10000:02:00.0: AER: Uncorrected (Fatal) error received: 10000:02:00.0"
		echo "6,93,1000,-;tenstorrent 0000:02:00.0: reset"
		echo " DEVICE=+pci:0000:02:00.0 tenstorrent 3,1,1,-;tenstorrent 0000:02:00.0: no"
		echo "3,94,1000"
	} >>"$(file "$D/dev/kmsg")"
	is 0 OK --only kernel
	rm "$D/dev/kmsg"
	is 0 OK
	is 3 "UNKNOWN: /dev/kmsg: No such file" --only kernel
	again -b n150 --no-workloads
	chmod 0 "$D/dev/kmsg"
	run mortal "$TT_SMI" check --root "$D" --only kernel,pcie
	[ "$status" = 3 ]
	run mortal "$TT_SMI" check --root "$D"
	[ "$status" = 0 ]
}

@test "the worst comes first, many are counted" {
	machine -b n150,p150a --no-workloads --fault dead:1 --fault errors:0/aer_dev_fatal=1
	check
	[[ "$output" = "TT_SMI CRITICAL: device 1: "*"; device 0: n150: 1 fatal PCIe error since boot"* ]]
	# shellcheck disable=SC2046 # one word for each
	again -b 12xn150 --no-workloads $(printf -- ' --fault errors:%d/aer_dev_fatal=1' {0..11})
	is 1 "device 7: n150: 1 fatal PCIe error since boot; and 4 more"
}

@test "performance data is written on request, in the form of plugins" {
	machine -b n150,p150a --no-workloads
	check
	[[ "$output" != *"|"* ]]
	check --perfdata
	[ "$status" = 0 ]
	[[ "$output" = "TT_SMI OK: 2 devices (SIMULATED) | 'device 0 temperature'="*";70;75 "* ]]
	[[ "$output" = *"'device 1 upstream fatal errors'=0c;1;"* ]]
	[[ "$output" = *"'device 1 power'="*"W;165; "* ]]
	[ "$(tr -dc '|' <<<"$output")" = "|" ]
	check --perfdata --only temperature --warning temperature=none
	[[ "$output" = *"'device 0 temperature'="*"C;;75"* ]]
	[[ "$output" != *"fatal"* ]]
	# A text must not begin performance data.
	echo '3,90,1000,-;tenstorrent 0000:01:00.0: a|b' >>"$(file "$D/dev/kmsg")"
	check
	[[ "$output" = *"a/b"* ]]
}

@test "its documents match docs/check-schema.json, and say the same as the line" {
	/usr/bin/python3 -c 'import jsonschema' 2>/dev/null || skip "python3-jsonschema is not installed"
	for name in n150 dead processes driver-2.4 unserved galaxy-wormhole; do
		[ ! -e "$D" ] || chmod -R u+w "$D"
		rm -rf "$D"
		make_machine "$name"
		status=0
		"$TT_SMI" check --root "$D" --idle --json >"$WORK/one" 3>&- || status=$?
		check --idle
		printf '%s\t%s\t%s\n' "$status" "$output" "$(cat "$WORK/one")" >>"$WORK/json"
	done
	/usr/bin/python3 - "$WORK/json" "$HERE/../../docs/check-schema.json" <<-'END'
		import json, sys
		import jsonschema
		schema = json.load(open(sys.argv[2]))
		jsonschema.Draft202012Validator.check_schema(schema)
		rows = [line.rstrip("\n").split("\t") for line in open(sys.argv[1])]
		assert len(rows) == 6
		for code, line, text in rows:
		    document = json.loads(text)
		    jsonschema.Draft202012Validator(schema).validate(document)
		    assert document["code"] == int(code)
		    assert line == f"TT_SMI {document['status']}: {document['summary']} (SIMULATED)", line
		    assert document["performance"]
	END
}

@test "it opens no device and writes nothing" {
	command -v strace >/dev/null || skip "strace is not installed"
	[ -z "${TT_INSTRUMENTED:-}" ] || skip "built with $TT_INSTRUMENTED, whose runtime makes system calls of its own"
	machine -b n150,p150a --fault log:0=aer -w dev=0,name=job
	strace -f -y -o "$WORK/trace" "$TT_SMI" check --root "$D" --idle --perfdata 3>&- || [ $? = 2 ]
	python3 "$HERE/check_trace.py" "$WORK/trace" --sleep
}
