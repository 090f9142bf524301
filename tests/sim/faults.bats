#!/usr/bin/env bats
# Simulated faults look like those of the driver.

load helpers

expect() { # PATH TEXT
	local have
	have=$(read_file "$1")
	[ "$have" = "$2" ] || { echo "$1: '$have', not '$2'"; return 1; }
}

@test "dead: every reading is all ones, as the driver formats it" {
	start -b n300,p150a --no-workloads --fault dead:0 --fault dead:1
	local n f c
	for n in 0 1; do
		c=$(class $n)
		for f in tt_aiclk tt_axiclk tt_arcclk tt_heartbeat; do
			expect "$c/$f" 4294967295
		done
		for f in "$c"/pcie_perf_counters/*; do
			expect "$f" 4294967295
		done
		expect "$c/tt_serial" FFFFFFFFFFFFFFFF
		expect "$c/tt_asic_id" FFFFFFFFFFFFFFFF
		expect "$c/tt_card_type" unknown
		expect "$c/tt_fw_bundle_ver" 255.255.255.255
		c=$c/device/hwmon/hwmon$n
		expect "$c/temp1_input" 65535999
		expect "$c/temp1_max" 4294966296
		expect "$c/power1_input" 4293967296
		expect "$c/power1_max" 4293967296
		expect "$c/curr1_input" 4294966296
		expect "$c/curr1_max" 4294966296
		expect "$c/in0_input" 4294967295
		expect "$c/in0_max" 65535
		c=$(class $n)/device
		expect "$c/current_link_speed" Unknown
		expect "$c/current_link_width" 63
		expect "$c/max_link_speed" "64.0 GT/s PCIe"
		expect "$c/vendor" 0x1e52
		expect "$c/power_state" D0
		[ "$(od -v -An -tx1 "$c/config" | tr -d ' \nf')" = "" ]
	done
	expect "$(class 0)/tt_eth_fw_ver" 255.15.4095
	expect "$(class 1)/device/hwmon/hwmon1/fan1_input" 4294967295
	expect "$(class 1)/tt_therm_trip_count" 4294967295
	no_mounts
}

@test "dead for a while: it begins and ends" {
	start -b p150a --no-workloads --fault dead:0@1000-2000
	not expect "$(class 0)/tt_aiclk" 4294967295
	next_fault
	eventually expect "$(class 0)/tt_aiclk" 4294967295
	[ "$(od -An -tx1 -N2 "$(class 0)/device/config")" = " ff ff" ]
	next_fault
	eventually expect "$(class 0)/tt_card_type" p150a
	[ "$(od -An -tx1 -N2 "$(class 0)/device/config")" = " 52 1e" ]
	expect "$(class 0)/device/current_link_speed" "32.0 GT/s PCIe"
}

@test "unbound and vfio: on the bus, but not served by the driver" {
	start -b n150,p150a --no-workloads --fault unbound:0@1000-2000 --fault vfio:1
	local pci=$D/sys/bus/pci
	[ "$(basename "$(readlink "$pci/devices/0000:01:00.0/driver")")" = tenstorrent ]
	[ "$(basename "$(readlink "$pci/devices/0000:02:00.0/driver")")" = vfio-pci ]
	[ -L "$pci/drivers/vfio-pci/0000:02:00.0" ]
	[ ! -e "$(class 1)" ]
	[ ! -e "$D/dev/tenstorrent/1" ]
	grep -q '^DRIVER=vfio-pci$' "$pci/devices/0000:02:00.0/uevent"
	grep -q -P '^0200\t1e52b140\t.*\tvfio-pci$' "$D/proc/bus/pci/devices"
	grep -q -P '^0100\t1e52401e\t.*\ttenstorrent$' "$D/proc/bus/pci/devices"
	next_fault
	eventually test ! -e "$(class 0)"
	eventually grep -q -P '^0100\t1e52401e\t.*\t$' "$D/proc/bus/pci/devices"
	expect "$pci/devices/0000:01:00.0/vendor" 0x1e52
	expect "$pci/devices/0000:01:00.0/class" 0x120000
	[ ! -e "$pci/devices/0000:01:00.0/driver" ]
	[ ! -e "$pci/drivers/tenstorrent/0000:01:00.0" ]
	[ ! -e "$pci/devices/0000:01:00.0/tenstorrent" ]
	not grep -q DRIVER "$pci/devices/0000:01:00.0/uevent"
	next_fault
	eventually expect "$(class 0)/tt_card_type" n150
	[ -e "$D/dev/tenstorrent/0" ]
	[ -L "$pci/drivers/tenstorrent/0000:01:00.0" ]
}

@test "missing: the file does not exist" {
	start -b p150a --no-workloads --fault missing:0/tt_serial --fault missing:0/temp1_input \
		--fault missing:0/pids --fault missing:0/numa_node --fault missing:0/mst_rd_data_word_received0
	[ ! -e "$(class 0)/tt_serial" ]
	[ ! -e "$(class 0)/device/hwmon/hwmon0/temp1_input" ]
	[ -e "$(class 0)/device/hwmon/hwmon0/temp1_label" ]
	[ ! -e "$D/proc/driver/tenstorrent/0/pids" ]
	[ ! -e "$(class 0)/device/numa_node" ]
	[ ! -e "$(class 0)/pcie_perf_counters/mst_rd_data_word_received0" ]
	[ -e "$(class 0)/tt_aiclk" ]
}

@test "no-telemetry: only files that need no firmware" {
	start -b n150,p150a --no-workloads --fault no-telemetry:0
	run ls "$(class 0)"
	[ "$output" = $'dev\ndevice\npcie_perf_counters\npower\nsubsystem\nuevent' ]
	[ ! -e "$(class 0)/device/hwmon" ]
	[ "$(ls "$D/sys/class/hwmon")" = hwmon1 ]
	[ "$(ls "$D/dev/tenstorrent/by-id" | wc -l)" = 1 ]
	[ "$(read_file "$(class 0)/pcie_perf_counters/slv_rd_data_word_sent0")" -gt 0 ]
}

@test "no-telemetry for a while: a wormhole's firmware is late" {
	start -b n150 --no-workloads --fault no-telemetry:0@0-1000
	[ ! -e "$(class 0)/tt_aiclk" ]
	next_fault
	eventually test -e "$(class 0)/tt_aiclk"
	eventually test -e "$(class 0)/device/hwmon/hwmon0/temp1_input"
}

@test "frozen: values stop, counters do not, nothing fails" {
	start -b p150a,p150a --no-workloads --load 60 --fault frozen:0
	local before other flits
	advanced() {
		[ "$other" -lt "$(cat "$(class 1)/tt_heartbeat")" ] &&
			[ "$flits" != "$(cat "$(class 0)/pcie_perf_counters/slv_posted_wr_data_word_received0")" ]
	}
	before=$(cat "$(class 0)"/tt_* "$(class 0)"/device/hwmon/*/*_input)
	flits=$(cat "$(class 0)/pcie_perf_counters/slv_posted_wr_data_word_received0")
	other=$(cat "$(class 1)/tt_heartbeat")
	eventually advanced
	[ "$before" = "$(cat "$(class 0)"/tt_* "$(class 0)"/device/hwmon/*/*_input)" ]
}

@test "set: any text in any file" {
	start -b p150a --no-workloads --fault set:0/temp1_input=65504000 --fault 'set:0/tt_card_type=no such card'
	expect "$(class 0)/device/hwmon/hwmon0/temp1_input" 65504000
	expect "$(class 0)/tt_card_type" "no such card"
}

@test "reset: ENODATA for the same files as in the driver" {
	needs_fuse
	start -b n300,p150a -w dev=0,via=none --fault reset:0
	local c f
	c=$(class 0)
	for f in "$c"/tt_* "$c"/device/hwmon/hwmon0/*_input "$c"/device/hwmon/hwmon0/*_max; do
		expect "$f" read:ENODATA
	done
	expect "$c/device/hwmon/hwmon0/temp1_label" asic1_temp
	expect "$c/device/hwmon/hwmon0/name" wormhole
	for f in "$c"/pcie_perf_counters/*; do
		expect "$f" 4294967295
	done
	expect "$c/device/current_link_speed" Unknown
	expect "$c/device/current_link_width" 63
	[ "$(wc -l <"$D/proc/driver/tenstorrent/0/pids")" = 1 ]
	expect "$(class 1)/tt_card_type" p150a
}

@test "reset for a while: afterwards the heartbeat counts from 0" {
	needs_fuse
	start -b p150a --no-workloads --fault reset:0@1000-2000
	local before
	before=$(read_file "$(class 0)/tt_heartbeat")
	next_fault
	eventually expect "$(class 0)/tt_heartbeat" read:ENODATA
	next_fault
	eventually not expect "$(class 0)/tt_heartbeat" read:ENODATA
	[ "$(read_file "$(class 0)/tt_heartbeat")" -lt "$before" ]
}

@test "before 2.9 a reset is all ones and no error" {
	needs_fuse
	start -b p150a --no-workloads --driver 2.8.0 --fault reset:0
	expect "$(class 0)/tt_aiclk" 4294967295
}

@test "denied, eio, slow: only the given files" {
	needs_fuse
	start -b p150a --no-workloads --fault denied:0/tt_serial --fault eio:0/temp1_input \
		--fault slow:0/tt_aiclk=1000 --fault denied:0/pids --fault eio:0/vendor
	expect "$(class 0)/tt_serial" open:EACCES
	expect "$(class 0)/device/hwmon/hwmon0/temp1_input" read:EIO
	expect "$(class 0)/device/vendor" read:EIO
	expect "$D/proc/driver/tenstorrent/0/pids" open:EACCES
	expect "$(class 0)/device/device" 0xb140
	expect "$(class 0)/power/autosuspend_delay_ms" read:EIO
	python3 - "$(class 0)" <<'P'
import os, sys, threading, time
ends = []
def read():
    open(f"{sys.argv[1]}/tt_aiclk").read()
    ends.append(time.monotonic())
start = time.monotonic()
read()
assert ends.pop() - start > 0.99
# If slow readers waited for each other, the last would end seven delays after the first.
threads = [threading.Thread(target=read) for _ in range(8)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert max(ends) - min(ends) < 7, ends
P
}

@test "hang: a read does not return, signals or not, until tt_smi-sim ends" {
	needs_fuse
	start -b p150a --no-workloads --fault hang:0/tt_serial
	python3 - "$(class 0)/tt_serial" >"$WORK/out" 3>&- <<'P' &
import errno, os, signal, sys
signal.signal(signal.SIGALRM, lambda *a: None)
signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
fd = os.open(sys.argv[1], os.O_RDONLY)
try:
    print(os.pread(fd, 100, 0), flush=True)
except OSError as e:
    print(errno.errorcode[e.errno], flush=True)
P
	local reader=$!
	eventually has_open "$reader" "$(realpath "$(class 0)/tt_serial")"
	sleep 0.8
	expect "$(class 0)/tt_card_type" p150a
	[ ! -s "$WORK/out" ]
	stop
	eventually is_gone $reader
	[ "$(cat "$WORK/out")" = EIO ]
}

@test "hang: a waiting reader can still be killed" {
	needs_fuse
	start -b p150a --no-workloads --fault hang:0/tt_serial --fault hang:0/pids
	run timeout 0.5 cat "$(class 0)/tt_serial"
	[ "$status" = 124 ]
	run timeout -s KILL 0.5 cat "$D/proc/driver/tenstorrent/0/pids"
	[ "$status" = 137 ]
}

@test "gone: removal and return as observed" {
	needs_fuse
	start -b n150,p150a -w dev=0+1,dram=1M --fault gone:0@1000-2000
	python3 "$HERE/gone.py" "$D" "$SIM"
}

@test "gone: /dev/tenstorrent disappears with the last card" {
	needs_fuse
	start -b n150 --no-workloads --fault gone:0@1000-2000
	next_fault
	eventually test ! -e "$D/dev/tenstorrent"
	[ -d "$D/sys/class/tenstorrent" ]
	[ -d "$D/proc/driver/tenstorrent" ]
	next_fault
	eventually test -e "$D/dev/tenstorrent/0"
}

@test "gone from the start and for ever: no device" {
	needs_fuse
	start -b n150,p150a --fault gone:0
	[ "$(ls "$D/sys/class/tenstorrent")" = 'tenstorrent!1' ]
	[ "$(ls "$D/proc/driver/tenstorrent")" = 1 ]
}

@test "with FUSE, attributes are a page long and owned by root" {
	needs_fuse
	start -b p150a --no-workloads --fault eio:0/tt_serial
	[ "$(stat -c '%s %a %u' "$(class 0)/tt_aiclk")" = "4096 444 0" ]
	[ "$(stat -c '%s %a' "$D/proc/driver/tenstorrent/0/pids")" = "0 444" ]
	[ "$(stat -c '%a' "$D/proc/driver/tenstorrent/0")" = 555 ]
	local a
	a=$(cat "$(class 0)/tt_heartbeat")
	eventually not expect "$(class 0)/tt_heartbeat" "$a"
	run bash -c 'echo 1 >"$0"' "$(class 0)/uevent"
	[ "$status" != 0 ]
}

@test "without FUSE it prints an error and exits with 3" {
	needs_root
	run unshare -m sh -c 'mount --make-rprivate / && mount -t tmpfs none /mnt && mknod /mnt/fuse c 10 229 &&
		chmod 0 /mnt/fuse && mount --bind /mnt/fuse /dev/fuse || exit 99
		exec setpriv --reuid=65534 --regid=65534 --clear-groups "$0" --fault eio:0/tt_aiclk -- true' "$TT_SMI_SIM"
	[ "$status" != 99 ] || skip "no mount namespace here"
	echo "$output"
	[ "$status" = 3 ]
	[[ "$output" = *"FUSE is not available"* || "$output" = *"built without libfuse3"* ]]
}

@test "an ordinary user can make files fail, through fusermount3" {
	needs_fuse
	needs_root
	command -v fusermount3 >/dev/null || skip "no fusermount3 here"
	chmod 755 "$WORK"
	cp "$TT_SMI_SIM" "$WORK/tt_smi-sim"
	run unshare -m env -u TMPDIR sh -c 'mount --make-rprivate / && mount -t tmpfs none /mnt &&
		mknod /mnt/fuse c 10 229 && chmod 666 /mnt/fuse && mount --bind /mnt/fuse /dev/fuse || exit 99
		setpriv --reuid=65534 --regid=65534 --clear-groups "$0"/tt_smi-sim --fault eio:0/tt_aiclk --no-workloads -- \
			sh -c "echo \$TT_SMI_ROOT; cat \$TT_SMI_ROOT/sys/class/tenstorrent/tenstorrent!0/tt_aiclk"
		grep tt_smi-sim /proc/self/mounts; exit 0' "$WORK"
	[ "$status" != 99 ] || skip "no mount namespace here"
	echo "$output"
	[[ "${lines[1]}" = *': Input/output error' ]]
	[[ "${lines[*]:2}" != *" ${lines[0]}/"* ]] # no mount left
	[ ! -e "${lines[0]}" ]
}
