#!/usr/bin/env bats
# The files of the simulated driver: names, formats, modes.

load helpers

make() {
	"$TT_SMI_SIM" --static "$@" "$D" 3>&-
}

@test "a wormhole has the files and formats that were observed" {
	make -b n300 --driver 2.10.1-pre -w dev=0,dram=1G
	run python3 "$HERE/compare.py" "$HERE/../trees/observed-wormhole" "$D"
	echo "$output"
	[ "$status" = 0 ]
}

@test "a blackhole has the files and formats that were observed" {
	make -b p150a --driver 2.10.1-pre -w dev=0,dram=1G
	run python3 "$HERE/compare.py" "$HERE/../trees/observed-blackhole" "$D"
	echo "$output"
	[ "$status" = 0 ]
}

@test "a live tree has the same files as one written once" {
	make -b n300,p300 --no-workloads
	(cd "$D" && find sys proc/driver dev -printf '%p %M %l\n' | sort) >"$WORK/once"
	remove "$D"
	start -b n300,p300 --no-workloads
	(cd "$D" && find sys proc/driver dev -printf '%p %M %l\n' | sort) >"$WORK/live"
	diff "$WORK/once" "$WORK/live"
	# Also behind FUSE, except for the file that a plain tree does not have.
	needs_fuse
	stop
	start -b n300,p300 --no-workloads --fault eio:0/none
	(cd "$D" && find sys proc/driver dev -printf '%p %M %l\n' | sort) >"$WORK/fuse"
	diff <(grep -v autosuspend_delay_ms "$WORK/fuse") "$WORK/live"
	[ "$(grep -c autosuspend_delay_ms "$WORK/fuse")" = 6 ]
}

@test "--static is the same byte for byte" {
	make -b 2xn300,p150a --seed 5 --time 1700000000 -w dev=0+1,dram=2G,util=300 -w dev=2,via=none
	mv "$D" "$WORK/first"
	make -b 2xn300,p150a --seed 5 --time 1700000000 -w dev=0+1,dram=2G,util=300 -w dev=2,via=none
	diff <(cd "$D" && find . -printf '%p %m %l\n' | sort) \
		<(cd "$WORK/first" && find . -printf '%p %m %l\n' | sort)
	chmod -R u+r "$WORK/first" "$D" # some files are write-only
	diff -r --no-dereference "$WORK/first" "$D"
	remove "$D"
	make -b 2xn300,p150a --seed 6
	not cmp -s "$WORK/first/sys/class/tenstorrent/tenstorrent!0/tt_asic_id" "$(class 0)/tt_asic_id"
}

# differs FILE: prints how many words of a file differ between two trees.
differs() { # FILE
	diff <(tr ' ' '\n' <"$WORK/first/$1") <(tr ' ' '\n' <"$D/$1") | grep -c '^>'
}

@test "--static --after is the same machine later" {
	local counter
	make -b n150 -w dev=0,dram=1G,leak=1M
	mv "$D" "$WORK/first"
	make -b n150 -w dev=0,dram=1G,leak=1M --after 20
	diff <(cd "$D" && find . -printf '%p %m %l\n' | sort) \
		<(cd "$WORK/first" && find . -printf '%p %m %l\n' | sort)
	counter=$(cd "$D" && echo sys/devices/*/*/*/tenstorrent/*/pcie_perf_counters/mst_nonposted_wr_data_word_sent0)
	for f in tt_heartbeat device/hwmon/hwmon0/temp1_input; do
		not cmp "$WORK/first/sys/class/tenstorrent/tenstorrent!0/$f" "$(class 0)/$f"
	done
	not cmp "$WORK/first/$counter" "$D/$counter"
	not cmp "$WORK"/first/dev/shm/tt_device_*_memory "$D"/dev/shm/tt_device_*_memory
	# A process has used CPU time since, and has the same start time.
	[ "$(differs proc/1001/stat)" = 1 ]
	cmp "$WORK/first/proc/stat" "$D/proc/stat"
	[ "$(cut -d. -f1 "$D/proc/uptime")" = $(($(cut -d. -f1 "$WORK/first/proc/uptime") + 20)) ]
}

@test "old drivers lack newer files" {
	lacks() { # DRIVER PATH: this version of the driver does not have the file
		[ ! -e "$D" ] || remove "$D"
		make -b n150,p150a --driver "$1"
		[ -z "$(compgen -G "$D/$2")" ] || { echo "$1 has $2"; return 1; }
	}
	has() {
		remove "$D"
		make -b n150,p150a --driver "$1"
		[ -n "$(compgen -G "$D/$2")" ] || { echo "$1 lacks $2"; return 1; }
	}
	local c='sys/class/tenstorrent/tenstorrent!'
	lacks 2.4.0 proc/driver/tenstorrent
	has 2.5.0 proc/driver/tenstorrent/0/pids
	lacks 2.4.1 sys/kernel/debug/tenstorrent
	lacks 2.5.0 dev/tenstorrent/by-id
	has 2.6.0 dev/tenstorrent/by-id
	lacks 2.6.9 "${c}0/tt_heartbeat"
	has 2.7.0 "${c}0/tt_heartbeat"
	lacks 2.6.9 "${c}1/tt_therm_trip_count"
	lacks 2.8.0 "${c}1/device/hwmon/*/temp1_max"
	has 2.9.0 "${c}1/device/hwmon/*/temp1_max"
	has 2.8.0 "${c}0/device/hwmon/*/temp1_max"
	lacks 2.2.0 "${c}0/tt_asic_id"
	has 2.3.0 "${c}0/tt_asic_id"
	lacks 2.0.0 "${c}1/tt_asic_id"
	has 2.1.0 "${c}1/tt_asic_id"
	lacks 1.34 "${c}0/pcie_perf_counters/*"
	has 2.0.0 "${c}0/pcie_perf_counters/*"
	lacks 1.34 "${c}1/device/hwmon/*/fan1_input"
	lacks 1.31 "${c}1/tt_aiclk"
	has 1.32 "${c}1/tt_aiclk"
	run make -b p150a --driver 1.30
	[ "$status" = 2 ]
}

@test "old firmware lacks newer values" {
	make -b n150,p150a --firmware 18.3.0.0
	[ ! -e "$(class 0)/tt_aiclk" ]
	[ ! -e "$(class 0)/device/hwmon" ]
	[ -e "$(class 0)/pcie_perf_counters/slv_rd_data_word_sent0" ]
	[ -e "$(class 1)/tt_aiclk" ]
	[ -z "$(compgen -G "$(class 1)/device/hwmon/*/power1_max")" ]
	[ -n "$(compgen -G "$(class 1)/device/hwmon/*/curr1_max")" ]
}

@test "boards: gaps, counts, one serial number for both halves of a p300" {
	make -b n150,2x-,2xp150a,p300
	run ls "$D/dev/tenstorrent"
	[ "$output" = $'0\n3\n4\n5\n6\nby-id' ]
	cmp "$(class 5)/tt_serial" "$(class 6)/tt_serial"
	not cmp -s "$(class 3)/tt_serial" "$(class 4)/tt_serial"
	not cmp -s "$(class 5)/tt_asic_id" "$(class 6)/tt_asic_id"
	[ "$(cat "$(class 6)/tt_card_type")" = p300a ]
}

@test "a galaxy's numbers follow from its buses" {
	make -b galaxy-wormhole
	[ "$(ls "$D/sys/class/tenstorrent" | wc -l)" = 32 ]
	check() { [ "$(basename "$(readlink "$(class "$1")/device")")" = "$2" ]; }
	check 0 0000:c1:00.0
	check 8 0000:81:00.0
	check 17 0000:02:00.0
	check 31 0000:48:00.0
	remove "$D"
	make -b galaxy-blackhole
	check 0 0000:01:00.0
	check 8 0000:41:00.0
	check 16 0000:c1:00.0
	check 31 0000:88:00.0
}

@test "the chip of a galaxy's tray whose bus ends in 6 has eight lanes, the others one" {
	local arch bdf width
	for arch in wormhole blackhole; do
		make -b galaxy-$arch
		[ "$(ls "$D/sys/bus/pci/devices" | wc -l)" = 32 ]
		for bdf in "$D"/sys/bus/pci/devices/*; do
			case $bdf in
			*6:00.0) width=8 ;;
			*) width=1 ;;
			esac
			[ "$(cat "$bdf/current_link_width")" = $width ]
			[ "$(cat "$bdf/max_link_width")" = $width ]
		done
		remove "$D"
	done
	make -b galaxy-blackhole@46,galaxy-wormhole@c1
	[ "$(cat "$D/sys/bus/pci/devices/0000:46:00.0/current_link_width")" = 8 ]
	[ "$(cat "$D/sys/bus/pci/devices/0000:c1:00.0/current_link_width")" = 1 ]
}

@test "a galaxy among other boards is numbered as observed" {
	make -b galaxy-wormhole@c1,galaxy-wormhole@82,galaxy-wormhole@03,galaxy-wormhole@48,n150@10,3xp150a@11
	number() { basename "$(echo "$D/sys/bus/pci/devices/0000:$1:00.0/tenstorrent/"*)"; }
	[ "$(number c1)" = 'tenstorrent!0' ]
	[ "$(number 82)" = 'tenstorrent!9' ]
	[ "$(number 03)" = 'tenstorrent!18' ]
	[ "$(number 48)" = 'tenstorrent!31' ]
	[ "$(number 10)" = 'tenstorrent!1' ]
	[ "$(number 13)" = 'tenstorrent!4' ]
}

@test "every board creates a tree, also sixty-four devices" {
	local b
	for b in n150 n300 p100a p150a p150b p150c p300 p300a p300b p300c 64xp150a; do
		make -b "$b"
		[ -s "$(class 0)/tt_card_type" ]
		remove "$D"
	done
}

@test "TT-Metal's files have the right layout" {
	make -b n150,p150a -w dev=0+1,dram=3G,l1=5M,l1_small=7K,trace=9M,cb=11M,name=/usr/bin/python3
	local n pools='3221225472 5242880 7168 9437184 11534336'
	for n in 0 1; do
		run python3 "$HERE/shm.py" memory "$D" $n
		echo "$output"
		[ "$output" = "version 3 processes 1 references 1 device $n
total $pools
chip $n 0 $pools
1001 python3 $pools" ]
	done
}

@test "a util file has the requested mean" {
	make -b n150,p150a -w dev=0+1,util=437
	[ "$(python3 "$HERE/shm.py" util "$D" 0)" = "version 3 cores 72 mean 437.0 sources 3" ]
	[ "$(python3 "$HERE/shm.py" util "$D" 1)" = "version 3 cores 120 mean 437.0 sources 3" ]
}

@test "a process that does not exist has a start time and a command line" {
	make -b n150 --time 1700000000 -w 'dev=0,name=python3,args=serve.py --port 1,age=90,uid=1000,cgroup=/docker/abc'
	[ "$(cat "$D/captured_at")" = 1700000000 ]
	[ "$(tr '\0' '|' <"$D/proc/1001/cmdline")" = 'python3|serve.py|--port|1|' ]
	[ "$(cat "$D/proc/1001/cgroup")" = 0::/docker/abc ]
	[ "$(readlink "$D/proc/1001/fd/4")" = /dev/tenstorrent/0 ]
	local boot started
	boot=$(sed -n 's/^btime //p' "$D/proc/stat")
	started=$(cut -d' ' -f22 "$D/proc/1001/stat")
	[ $((boot + started / 100)) = $((1700000000 - 90)) ]
	[ "$(cat "$D/proc/driver/tenstorrent/0/pids")" = $'1001\n1001' ]
	grep -q '^Uid:	1000' "$D/proc/1001/status"
}

@test "invalid options are rejected with 2, and nothing is created" {
	local arguments
	for arguments in '-b n151' '-b ""' '-b 65xn150' '-b -' '-b n150@0' '-b n150@1,n150@1' '--driver x' \
		'--driver 1.1' '-w dev=7' '-w dram=1T' '-w foo=1' '--fault dead:9' '--fault dead' \
		'--fault gone:0@5-2' '--fault slow:0/tt_aiclk' '--fault missing:0' '--load 101' '--interval 0' \
		'--static --fault hang:0/tt_aiclk' '--nonsense' '--time 5' '--after 5' '--no-workloads -w dev=0' '--static --after 3601' \
		'-w busy=101' '-w busy=5,rate=0' '-w busy=5,lose=1' '-w busy=5,release=0.66' '-w busy=5,bound=lower' \
		'-w busy=5,running=3' '-w busy=no-records' '--static -w busy=5,rate=2' '--static -w busy=5,hang=3'; do
		# shellcheck disable=SC2046 # several words
		run "$TT_SMI_SIM" $(eval "echo $arguments") "$D"
		echo "$arguments: $status $output"
		[ "$status" = 2 ]
		[ ! -e "$D" ]
	done
	run "$TT_SMI_SIM"
	[ "$status" = 2 ]
	mkdir "$D"
	touch "$D/mine"
	run "$TT_SMI_SIM" --static "$D"
	[ "$status" = 1 ]
	[ "$(ls -A "$D")" = mine ]
}

@test "the manual has every fault and key" {
	local word page
	page=$(sed 's/\\-/-/g' "$HERE/../../man/tt_smi-sim.1")
	for word in $(sed -n 's/^\t\[FAULT_.*{ "\([a-z-]*\)".*/\1/p' "$HERE/../../sim/fault.c"); do
		grep -q -- "Cm $word:" <<<"$page" || { echo "manual: $word"; return 1; }
	done
	for word in $(grep -o -e 'strcmp(key, "[a-z_0-9]*"' -e '^	{ "[a-z]*", \(TEXT\|BYTES\|SECONDS\|PARSED\)' \
		"$HERE/../../sim/workload.c" | cut -d'"' -f2) dram l1 l1_small trace cb; do
		grep -q -- "\b$word=" <<<"$page" || { echo "manual: $word="; return 1; }
	done
}
