#!/usr/bin/env bats
# The command line: every option, every error, every exit code.

load helpers
load machines

# All modes that write output; each must report a write error.
MODES=('' -L -q --json -s --query-gpu=index --query-compute-apps=pid '-lms 20 -n 2' '-w -r 100 -n 2'
	'--json -lms 20 -n 2' -h -V --help-query-gpu --help-query-compute-apps)

setup() {
	make_work
	make_machine n300
}

# same ONE TWO: two command lines write the same.
same() {
	smi $1 >"$WORK/a" 2>&1
	smi $2 >"$WORK/b" 2>&1
	[ -s "$WORK/a" ]
	diff "$WORK/a" "$WORK/b"
}

@test "every name of every option works, and every form of an argument" {
	same -L --list-gpus
	same -L --list-devices
	same -q --query
	same '-q -d MEMORY' '--query --display memory'
	same '-q -d MEMORY,PIDS' '-q --display=memory,pids'
	same -s --snapshot
	same --json --json=compact
	same '-i 0' '--id 0'
	same '-i 0' --id=0
	same '-i 0' -i0
	same -V --version
	same -h --help
	same '--color never' --color=never
	same --help-query-gpu --help-query-device
	same '--query-gpu index' --query-device=index
	same '--query-compute-apps pid' --query-processes=pid
	same '-L -lms 20 -n 2' '-L --loop-ms=20 --count=2'
	same '-L -lms20 -n2' '-L -l 0.02 -n 2'
	same '-L -w -r 100 -n 1' '-L --watch --refresh=100 --count 1'
	# The root from the environment, the option before it.
	TT_SMI_ROOT=$D "$TT_SMI" -L >"$WORK/a"
	TT_SMI_ROOT=/nonexistent smi -L >"$WORK/b"
	cmp "$WORK/a" "$WORK/b"
}

@test "the help names every option of the program, within 80 columns" {
	"$TT_SMI" -h >"$WORK/help"
	local o
	for o in -w -r -l -lms -n -L -q -d --json --query-gpu --query-compute-apps --format --help-query-gpu \
		--help-query-compute-apps -s -i -f --root --color --ascii -h -V; do
		grep -q -E -- "(^|[ ,])$o([], =[]|\$)" "$WORK/help" || { echo "no $o"; return 1; }
	done
	[ "$(wc -L <"$WORK/help")" -le 80 ]
	grep -q '^Exit status: 0 fine; ' "$WORK/help"
	not grep -q ' $' "$WORK/help"
	[ "$("$TT_SMI" -V | wc -l)" = 1 ]
	[[ "$("$TT_SMI" -V)" =~ ^tt_smi\ [0-9]+\.[0-9]+\.[0-9]+(' (without tracing)')?$ ]]
}

@test "options of the full screen are checked in a pipe too" {
	expect_error 2 '--theme: "foo" is not default, colorblind, light or mono' -w --theme=foo
	expect_error 2 '--view: "foo" is not overview, grid, processes, memory or device' -w --view foo
	[ "$TT_SCREEN" = 1 ] || skip "no full screen in this build: --set has no names"
	expect_error 2 '--set: no setting "foo"' -w -n 1 --set foo=1
	expect_error 2 'no setting "theem" (did you mean "theme"?)' -w -n 1 --set theem=mono
	expect_error 2 '--set: sort cannot be "foo" (column of the processes, -name in reverse order: pid user' \
		-w -n 1 --set sort=foo
	expect_error 2 '--set: theme cannot be "foo" (default, colorblind, light or mono)' -w -n 1 --plain --set view=grid --set theme=foo
	capture -w -n 1 --set theme=mono --set view=grid
	[ "$status" = 0 ]
	grep -q SIMULATED "$WORK/out"
}

@test "invalid options are rejected with 2, by name, before anything is written" {
	expect_error 2 'unknown option "--nonsense"' --nonsense
	expect_error 2 'unknown option "-z"' -z
	expect_error 2 'unknown option "-"' -
	expect_error 2 'unknown option "--"' --
	expect_error 2 'unknown command "list"; ' list
	expect_error 2 'unknown option "-w5"' -w5
	expect_error 2 'takes no value' --watch=5
	local o
	for o in -r -n -d -f -i --root --color --format --query-gpu --query-compute-apps; do
		expect_error 2 "$o needs a value: " $o
	done
	expect_error 2 '"99" is not a number from 100 to 60000' -w -r 99
	expect_error 2 '"60001" is not a number' -w -r 60001
	expect_error 2 '"-5" is not a number' -w -r -5
	expect_error 2 '"1e3" is not a number' -w -r 1e3
	expect_error 2 '"99999999999999999999" is not a number' -w -r 99999999999999999999
	expect_error 2 '"" is not a number' -w -r ''
	expect_error 2 '-r MS is the refresh period and needs -w' -r 500
	expect_error 2 '-r MS is the refresh period and needs -w' -r 500 -l 1
	expect_error 2 '-n needs -w, -l or -lms' -n 3
	expect_error 2 '"0" is not a number from 1' -l 1 -n 0
	expect_error 2 '"x" is not a number' -l 1 -n x
	expect_error 2 'is not a number of seconds' -l 0
	expect_error 2 'is not a number of seconds' -l 86401
	expect_error 2 'is not a number of seconds' -l 1.2.3
	expect_error 2 '"5" is not a number from 10' -lms 5
	expect_error 2 'are mutually exclusive' -l 1 -lms 500
	expect_error 2 '-w and -l or -lms are mutually exclusive' -w -l 1
	expect_error 2 '--json and -q are mutually exclusive' --json -q
	expect_error 2 '-L and -s are mutually exclusive' -L -s
	expect_error 2 'are mutually exclusive' -q --query-gpu=index
	expect_error 2 'are mutually exclusive' -h --json
	expect_error 2 '-d needs -q' -d MEMORY
	expect_error 2 '-d: "FOO" is not IDENTITY, PCIE' -q -d MEMORY,FOO
	expect_error 2 '-d: "" is not IDENTITY' -q -d ''
	expect_error 2 '"red" is not auto, always or never' --color red
	expect_error 2 '"xml" is not compact or pretty' --json=xml
	expect_error 2 'an empty device name' -i ''
	expect_error 2 'an empty device name' -i 0,,1
	expect_error 2 '--root /nonexistent: No such file' --root /nonexistent
	expect_error 2 'Not a directory' --root "$D/simulated"
}

@test "-r never means reset" {
	capture -r 500
	grep -q "this program never resets a board, the vendor's tt-smi -r does" "$WORK/err"
	expect_error 2 "-r: \"0\" is not a number from 100 to 60000; it is the period of -w" -r 0
	grep -q "this program never resets a board, the vendor's tt-smi -r does" "$WORK/err"
}

@test "misspelt words get a suggestion" {
	expect_error 2 '"--wach" (did you mean "--watch"?)' --wach
	expect_error 2 '"--qery-gpu=index" (did you mean "--query-gpu"?)' --qery-gpu=index
	expect_error 2 '"--qery-gpu" (did you mean "--query-gpu"?)' --qery-gpu index
	expect_error 2 '"docter" (did you mean "doctor"?)' docter
	expect_error 2 '"memm" (did you mean "mem"?)' memm
	expect_error 2 '"--colour=never" (did you mean "--color"?)' doctor --colour=never
	expect_error 2 'unknown command "xyzzy"; ' xyzzy
	expect_error 2 '"-x": there is no XML; --json' -q -x
	expect_error 2 '"--xml-format": there is no XML; --json' -q --xml-format
	expect_error 2 '"-qx": there is no XML; --json' -qx
	expect_error 2 '"--gpu-reset": this program never resets a device' --gpu-reset -i 0
	expect_error 2 '"--reset": this program never resets a device' --reset 0
}

@test "help explains commands" {
	"$TT_SMI" help >"$WORK/a"
	"$TT_SMI" -h | diff "$WORK/a" -
	local c
	for c in mem run wait select doctor dmon topo; do
		"$TT_SMI" help "$c" >"$WORK/a"
		"$TT_SMI" "$c" --help | diff "$WORK/a" -
		grep -q "^Usage: tt_smi $c" "$WORK/a"
	done
	expect_error 2 'unknown command "docter" (did you mean "doctor"?)' help docter
}

@test "options may stand before the command" {
	"$TT_SMI" --root "$D" mem --once -d 0 >"$WORK/a"
	"$TT_SMI" mem --root "$D" --once -d 0 | diff "$WORK/a" -
	"$TT_SMI" --ascii --root="$D" --color never doctor >"$WORK/a" || true
	{ "$TT_SMI" doctor --ascii --root "$D" --color never || true; } | diff "$WORK/a" -
	# The value of an option is no command.
	(cd "$WORK" && "$TT_SMI" --root "$D" -L -f mem && test -s mem)
}

@test "no driver: 9, and cards without one are listed" {
	rm -r "$D/sys/class/tenstorrent" "$D"/sys/bus/pci/devices/*/driver
	local m
	for m in '' -L -q --json -s --query-gpu=index '-lms 20 -n 2' '-w -r 100 -n 2'; do
		capture $m
		echo "$m: $status; $(cat "$WORK/err")"
		[ "$status" = 9 ]
		grep -q '0000:01:00.0' "$WORK/out"
		[ "$(grep -v SIMULATED "$WORK/err")" = 'tt_smi: the Tenstorrent driver is not loaded, though 1 card is on the bus (0000:01:00.0)' ]
		capture -i all $m
		[ "$status" = 9 ]
		expect_error 9 'driver is not loaded, though 1 card is on the bus (0000:01:00.0)' -i 0 $m
		capture -i 01:00.0 $m
		[ "$status" = 15 ]
		grep -q '0000:01:00.0' "$WORK/out"
	done
	rm -r "$D"
	machine -b 40xp150a --no-workloads
	rm -r "$D/sys/class/tenstorrent" "$D"/sys/bus/pci/devices/*/driver "$D/proc/bus"
	capture
	[ "$status" = 9 ]
	grep -q 'though 40 cards are on the bus' "$WORK/err"
	local b
	for b in "$D"/sys/bus/pci/devices/*; do grep -q "[ (]${b##*/}[,)]" "$WORK/err"; done
	rm -r "$D/sys"
	expect_error 9 "driver is not loaded (no $D/sys/class/tenstorrent)"
	mkdir -p "$D/sys/class"
	expect_error 9 'driver is not loaded' --json
}

# rows ID: in how many of the outputs a device with this id has a row.
rows() {
	local count=0
	smi --ascii | grep -q -E "^\| $1 " && count=$((count + 1))
	smi -L | grep -q "^GPU $1:" && count=$((count + 1))
	smi -q | grep -q -E "^Device $1( |\$)" && count=$((count + 1))
	smi --json | jq -e --arg id "$1" '.devices | any(.id == $id)' >/dev/null && count=$((count + 1))
	smi --query-gpu=index | grep -q -x -F "$1" && count=$((count + 1))
	smi --query-gpu=index,temperature.asic | grep -q "^$1," && count=$((count + 1))
	"$TT_SMI" mem --root "$D" -n 1 | grep -q "Device $1 " && count=$((count + 1))
	echo $count
}

@test "the chip without PCIe of a lone p300 is in every output or in none" {
	rm -r "$D"
	machine -b p300a,p150a --no-workloads
	rm -r "$D/sys/class/tenstorrent/tenstorrent!1" "$D/sys/bus/pci/devices/0000:02:00.0"
	[ "$(rows 0R)" = 7 ]
	# Another one whose serial number cannot be read may be that chip.
	rm -r "$D"
	machine -b p300a,p300a --no-workloads
	rm -r "$D"/sys/class/tenstorrent/tenstorrent!{1,3} "$D"/sys/bus/pci/devices/0000:0{2,4}:00.0
	[ "$(rows 0R)" = 7 ]
	rm "$D/sys/class/tenstorrent/tenstorrent!2/tt_serial"
	[ "$(rows 0R)" = 0 ]
}

@test "no firmware is shown for a chip without PCIe" {
	smi --json | jq -e '.devices[1] | .id == "0R" and .firmware.bundle == null and .unavailable["firmware.bundle"] == "no_pcie"'
}

@test "-L shows the state, whatever else it reads" {
	rm "$D/sys/class/tenstorrent/tenstorrent!0/tt_asic_id"
	smi -L >"$WORK/out"
	grep -q '^GPU 0: .*UUID: N/A' "$WORK/out"
	not grep -q 'no telemetry' "$WORK/out"
}

@test "a card that the driver does not serve: shown, and 15 if it is selected" {
	rm -r "$D"
	make_machine unserved
	local m id
	for id in 0000:02:00.0 0000:03:00.0; do
		[ "$(rows $id)" = 7 ]
		for m in '' -L -q --json -s --query-gpu=index,state; do
			capture $m
			[ "$status" = 0 ]
			grep -q $id "$WORK/out"
			capture -i all $m
			[ "$status" = 0 ]
			capture -i 0 $m
			[ "$status" = 0 ]
			capture -i $id $m
			[ "$status" = 15 ]
			grep -q $id "$WORK/out"
			capture -i 0,${id#0000:} $m
			[ "$status" = 15 ]
		done
	done
	expect_error 6 'there is no such device' -i 1
	smi -i 02:00.0 | grep -q 'no driver'
	smi -i 03:00.0 | grep -q 'bound to vfio-pci'
	smi -i 03:00.0 -L | grep -q '^GPU 0000:03:00.0: Blackhole p100a (UUID: N/A) 0000:03:00.0 (bound to vfio-pci)'
	smi --json | jq -e '.devices | map(.id) == [0, 3, "3R", "0000:02:00.0", "0000:03:00.0"]'
	smi --json | jq -e '.devices[3] | .state == "no driver" and .board == "p150a" and .unavailable.temperature == "no_driver"'
	smi --json | jq -e '.devices[4] | .state == "other driver" and .unavailable.temperature == "other_driver"'
	[ "$(smi --query-gpu=count --format=csv,noheader 2>/dev/null | sort -u)" = 2 ]
}

@test "a driver that serves no card: 6, and the cards are shown and listed" {
	rm -r "$D"
	machine -b 2xp150a --no-workloads --fault unbound:0 --fault vfio:1
	local m
	for m in '' -L --json --query-gpu=index '-lms 20 -n 3'; do
		capture $m
		[ "$status" = 6 ]
		[ "$(grep -v SIMULATED "$WORK/err")" = 'tt_smi: no Tenstorrent device present (the driver is loaded), though 2 cards are on the bus (0000:01:00.0, 0000:02:00.0: bound to vfio-pci)' ]
		grep -q 0000:02:00.0 "$WORK/out"
	done
	expect_error 6 'there is no such device' -i 0
}

@test "a driver and no device: 6" {
	rm -r "$D/sys/class/tenstorrent"
	mkdir "$D/sys/class/tenstorrent"
	local m
	for m in '' -L -q --json -s --query-gpu=index --query-compute-apps=pid '-l 1' '-w -n 1'; do
		expect_error 6 'no Tenstorrent device present' $m
	done
}

@test "no permission: 4, and the name of the file" {
	chmod 0 "$D/sys/class/tenstorrent"
	local m
	for m in '' -L -q --json -s --query-gpu=index '-l 1'; do
		status=0
		mortal "$TT_SMI" --root "$D" $m >"$WORK/out" 2>"$WORK/err" 3>&- || status=$?
		[ "$status" = 4 ]
		[ ! -s "$WORK/out" ]
		[ "$(cat "$WORK/err")" = "tt_smi: $D/sys/class/tenstorrent: permission denied" ]
	done
	chmod 0 "$D"
	status=0
	mortal "$TT_SMI" --root "$D/sys" 2>"$WORK/err" >"$WORK/out" 3>&- || status=$?
	[ "$status" = 4 ]
	[ ! -s "$WORK/out" ]
	chmod 755 "$D"
}

@test "lost device: 15 if it was selected or there is no other, and its row is shown" {
	rm -r "$D"
	make_machine dead # devices 0 and 1 are dead, 2 is not
	local m
	for m in '' -L -q --json -s --query-gpu=index,state; do
		capture $m
		[ "$status" = 0 ]
		capture -i 2 $m
		[ "$status" = 0 ]
		capture -i 1 $m
		echo "$m: $status"
		[ "$status" = 15 ]
		[ -s "$WORK/out" ]
		capture -i 0,1 $m
		[ "$status" = 15 ]
	done
	capture -i 1
	grep -q 'chip not answering' "$WORK/out"
	rm -r "$D"
	machine -b p150a --fault dead:0 --no-workloads
	capture --json
	[ "$status" = 15 ]
	jq -e '.devices[0].state == "not answering" and .devices[0].temperature == null' "$WORK/out"
}

# selects SELECTOR INDICES
selects() {
	local have
	have=$(smi -i "$1" --query-gpu=index --format=csv,noheader 2>/dev/null | paste -sd' ')
	[ "$have" = "$2" ] || { echo "-i $1: $have, not $2"; return 1; }
}

@test "-i: every way to name a device" {
	rm -r "$D"
	make_machine gaps # devices 0 2 4 6 6R 7 8
	selects 0 0
	selects 0,4 '0 4'
	selects 4,0 '0 4'
	selects 0,0 0
	selects 0-4 '0 2 4'
	selects 6 6
	selects 6R 6R
	selects 6-8 '6 7 8'
	selects all '0 2 4 6 6R 7 8'
	selects 0000:02:00.0 4
	selects 02:00.0 4
	selects 02:00 4
	selects 0000:C3:00.0 2
	selects /dev/tenstorrent/7 7
	local asic serial
	asic=$(cat "$(class 4)/tt_asic_id")
	serial=$(cat "$(class 7)/tt_serial")
	selects "$asic" 4
	selects "${asic,,}" 4
	selects "${asic:0:6}" 4
	selects "TT-${asic,,}" 4
	selects "/dev/tenstorrent/by-id/blackhole-$asic" 4
	selects "$serial" '7 8' # both chips of a board
	[ "$(smi -i 4 --json | jq -c '[.devices[].id], [.processes[].pid]' | paste -sd' ')" = '[4] [1001]' ]
	rm -r "$D"
	make_machine galaxy-wormhole
	selects tray:2 '8 9 10 11 12 13 14 15'
	selects tray:1,31 '0 1 2 3 4 5 6 7 31'
	selects 10-12 '10 11 12'
	expect_error 6 'tray:9: there is no such device' -i tray:9
}

@test "-i: a word without a match is 6, an ambiguous one is 2" {
	local word
	for word in nonsense 9 0-x 5-9 9999:01:00.0 01:00.1 0123456789ABCDEF DEAD /dev/tenstorrent/3 /dev/null 1R tray:1 tray: -1; do
		expect_error 6 "$word: there is no such device" -i "$word"
	done
	expect_error 6 '7: there is no such device' -i 0,7
	rm -r "$D"
	make_machine p150a-two
	echo ABCD000000000001 >"$(file "$(class 0)/tt_asic_id")"
	echo ABCD000000000002 >"$(file "$(class 1)/tt_asic_id")"
	expect_error 2 'ABCD: ambiguous, several ids begin with it' -i ABCD
	expect_error 2 'several ids begin with it' -i abcd00000000000
	selects ABCD000000000002 1
	expect_error 6 'ABC: there is no such device' -i ABC # too short for a part of an id
}

@test "output that cannot be written is 74, in every mode" {
	local m
	for m in "${MODES[@]}"; do
		status=0
		smi $m >/dev/full 2>"$WORK/err" || status=$?
		echo "$m: $status $(cat "$WORK/err")"
		[ "$status" = 74 ]
		[ "$(cat "$WORK/err")" = "tt_smi: cannot write standard output: No space left on device" ]
	done
}

@test "a closed stdout is 74, in every mode, and no other file gets the text" {
	local m before
	before=$(cd "$D" && find . -type f -exec cksum {} + | sort | cksum)
	for m in "${MODES[@]}"; do
		status=0
		smi $m >&- 2>"$WORK/err" || status=$?
		echo "$m: $status $(cat "$WORK/err")"
		[ "$status" = 74 ]
		[ "$(cat "$WORK/err")" = "tt_smi: cannot write standard output: Bad file descriptor" ]
	done
	[ "$before" = "$(cd "$D" && find . -type f -exec cksum {} + | sort | cksum)" ]
	# Other closed descriptors do not matter.
	smi -L <&- 2>&- >"$WORK/a"
	smi -L >"$WORK/b"
	cmp "$WORK/a" "$WORK/b"
}

@test "a loop ends when its reader closes the pipe" {
	status=0
	(
		set +e
		smi -L -lms 20
		echo $? >"$WORK/code"
	) | head -1 >"$WORK/out"
	grep -q '^GPU 0' "$WORK/out"
	[ "$(cat "$WORK/code")" = 141 ] || [ "$(cat "$WORK/code")" = 74 ]
}

# only DIRECTORY NAMES: the directory has these files, and no temporary one.
only() {
	[ "$(ls -A "$1")" = "$2" ] || { ls -la "$1"; return 1; }
}

@test "-f FILE: the same text, and the old file is replaced atomically" {
	mkdir "$WORK/o"
	local m
	for m in '' -L -q --json -s --query-gpu=index; do
		echo old >"$WORK/o/file"
		smi $m >"$WORK/out" 2>"$WORK/err"
		capture -f "$WORK/o/file" $m
		[ "$status" = 0 ]
		[ ! -s "$WORK/out" ]
		smi $m >"$WORK/b" 2>/dev/null
		cmp "$WORK/o/file" "$WORK/b"
		only "$WORK/o" file
	done
	# A reader with the old file open keeps its content: it was replaced, not rewritten.
	echo old >"$WORK/o/file"
	exec 9<"$WORK/o/file"
	smi -L -f "$WORK/o/file"
	[ "$(cat <&9)" = old ]
	exec 9<&-
	(umask 027 && smi -L -f "$WORK/o/new")
	[ "$(stat -c %a "$WORK/o/new")" = 640 ]
	[ "$(smi -L -f -)" = "$(smi -L)" ]
}

@test "-f FILE: a failure keeps the old file and leaves no other files" {
	mkdir "$WORK/o"
	echo old >"$WORK/o/file"
	expect_error 6 'no such device' -i 99 -f "$WORK/o/file"
	[ "$(cat "$WORK/o/file")" = old ]
	only "$WORK/o" file
	rm -r "$D/sys/class/tenstorrent"
	expect_error 9 'not loaded' -f "$WORK/o/file" --json
	expect_error 9 'not loaded' -f "$WORK/o/other"
	[ "$(cat "$WORK/o/file")" = old ]
	only "$WORK/o" file
}

@test "-f FILE: a write error is 74, with the name of the file" {
	expect_error 74 "cannot write $WORK/missing/file: No such file or directory" -f "$WORK/missing/file"
	expect_error 74 "cannot write $WORK: Is a directory" -f "$WORK"
	expect_error 74 "cannot write /dev/full: No space left" -f /dev/full
	expect_error 74 "cannot write $WORK/missing/file" -f "$WORK/missing/file" -lms 20 -n 2
	mkdir -m 500 "$WORK/closed"
	status=0
	mortal "$TT_SMI" --root "$D" -f "$WORK/closed/file" 2>"$WORK/err" >"$WORK/out" 3>&- || status=$?
	[ "$status" = 74 ]
	grep -q "cannot write $WORK/closed/file: Permission denied" "$WORK/err"
}

@test "-f FILE on a full disk leaves no partial file" {
	needs_mounts
	mkdir "$WORK/disk"
	private bash -c '
		mount -t tmpfs -o size=64k none "$1" || exit 90
		echo old >"$1/file"
		head -c 60000 /dev/zero >"$1/ballast"
		cat /dev/zero >>"$1/ballast" 2>/dev/null
		for mode in --json -q -s ""; do
			"$2" --root "$3" $mode -f "$1/file" 2>"$4"
			code=$?
			cat "$4"
			[ $code = 74 ] || { echo "status $code"; exit 91; }
			grep -q "cannot write $1/file: No space left on device" "$4" || exit 92
			[ "$(cat "$1/file")" = old ] || exit 93
			[ "$(ls -A "$1")" = "ballast
file" ] || { ls -A "$1"; exit 94; }
			"$2" --root "$3" $mode -f "$1/new" 2>/dev/null && exit 95
			[ ! -e "$1/new" ] || exit 96
		done' sh "$WORK/disk" "$TT_SMI" "$D" "$WORK/err" 3>&-
}

@test "colours: the option, then NO_COLOR, then the terminal" {
	not grep -q $'\033' <(smi)
	grep -q $'\033\[' <(smi --color=always)
	grep -q $'\033\[' <(NO_COLOR=1 smi --color=always)
	not grep -q $'\033' <(smi --color=never)
	# script(1) makes a terminal.
	command -v script >/dev/null || skip "no script(1) for a terminal"
	on_terminal() {
		SHELL=/bin/sh script -qec "$*" /dev/null </dev/null 3>&-
	}
	grep -q $'\033\[' <(on_terminal "$TT_SMI --root $D")
	not grep -q $'\033' <(on_terminal "NO_COLOR=1 $TT_SMI --root $D")
	not grep -q $'\033' <(on_terminal "TERM=dumb $TT_SMI --root $D")
	not grep -q $'\033' <(on_terminal "$TT_SMI --root $D --color=never")
	not grep -q $'\033' <(on_terminal "$TT_SMI --root $D --json")
	# JSON is indented on a terminal, and only there.
	[ "$(on_terminal "$TT_SMI --root $D --json" | wc -l)" -gt 100 ]
}

@test "ASCII if the locale is not UTF-8, or on request" {
	local l
	for l in C POSIX; do
		not grep -q -P '[^\x00-\x7f]' <(LC_ALL=$l smi)
	done
	not grep -q -P '[^\x00-\x7f]' <(smi --ascii)
	grep -q '┌' <(smi)
	grep -q '┌' <(LC_ALL=en_US.UTF-8 smi) # even if this locale is not installed
}

@test "widths: at least 80, that of the terminal, else 102" {
	width() { head -1 | awk '{ print length($0) }'; }
	[ "$(smi --ascii | width)" = 102 ]
	local c
	for c in 80 81 100 133 180 400; do
		[ "$(COLUMNS=$c smi --ascii | width)" = $c ]
	done
	for c in 1 20 79; do
		[ "$(COLUMNS=$c smi --ascii | width)" = 80 ]
	done
	for c in 0 -1 nonsense ''; do
		[ "$(COLUMNS=$c smi --ascii | width)" -ge 80 ]
	done
	smi --ascii -f "$WORK/file"
	[ "$(width <"$WORK/file")" = 102 ]
}

@test "-q -d shows the requested sections, and no other" {
	smi -q -d TEMPERATURE,memory >"$WORK/out"
	grep -q 'Throttle Limit' "$WORK/out"
	grep -q 'DRAM Total' "$WORK/out"
	not grep -q -E 'Serial Number|Link Width|Process Id|Bundle' "$WORK/out"
	local s
	for s in IDENTITY PCIE TEMPERATURE POWER CLOCK FIRMWARE HEALTH MEMORY UTILIZATION PIDS; do
		smi -q -d $s >"$WORK/out"
		[ "$(grep -c '^    [A-Z]' "$WORK/out")" = 2 ] # once for each of two devices
	done
}

@test "two files of TT-Metal for one chip: the one with the chip's own id counts" {
	chmod -R u+w "$D" && rm -r "$D"
	machine -b n150 -w dev=0,dram=1G,name=job
	local own other
	own=$(ls "$D"/dev/shm/tt_device_*_memory)
	other=$D/dev/shm/tt_device_$(printf '%u' "0x$(cat "$(class 0)/tt_serial")")_memory
	# A second file, with half of the memory, under the older id; either file may come first in the directory.
	python3 - "$own" "$other" <<-'EOF'
		import struct, sys
		data = open(sys.argv[1], "rb").read()
		open(sys.argv[2], "wb").write(data.replace(struct.pack("<Q", 1 << 30), struct.pack("<Q", 1 << 29)))
	EOF
	[ "$(smi --query-gpu=memory.used --format=csv,noheader,nounits)" = 1024 ]
	mv "$own" "$own.tmp" && mv "$own.tmp" "$own"
	[ "$(smi --query-gpu=memory.used --format=csv,noheader,nounits)" = 1024 ]
	rm "$own"
	[ "$(smi --query-gpu=memory.used --format=csv,noheader,nounits)" = 512 ]
}

@test "an opener that exited is not reported as another namespace" {
	chmod -R u+w "$D" && rm -r "$D"
	machine -b n150 -w dev=0,via=none,name=shell
	# The pid was reused by a process that has nothing open.
	rm "$D"/proc/1001/fd/*
	capture --json
	[ "$(jq -c '.devices[0] | [.unseen_holders, .lost_openers, .unavailable["memory.used"]]' "$WORK/out")" = '[1,1,"holder_unknown"]' ]
	capture --ascii
	grep -q '| -  *unknown  *0 .*Device open (1 time, opener gone)' "$WORK/out"
	not grep -q namespace "$WORK/out"
}

@test "absolute links of a tree start at its root, and none leads out" {
	local card outside="$WORK/outside"
	smi --query-gpu=index,temperature.gpu,clocks.ai,memory.used,pci.bus_id --format=csv >"$WORK/before"
	card=$(readlink -f "$(class 0)")
	rm "$D/sys/class/tenstorrent/tenstorrent!0"
	ln -s "${card#"$D"}" "$D/sys/class/tenstorrent/tenstorrent!0"
	mv "$D/dev/shm" "$D/shm"
	ln -s /shm "$D/dev/shm"
	smi --query-gpu=index,temperature.gpu,clocks.ai,memory.used,pci.bus_id --format=csv >"$WORK/after"
	diff "$WORK/before" "$WORK/after"
	# Links out of the tree are not followed.
	echo 1234 >"$outside"
	rm "$card/tt_aiclk"
	ln -s "$outside" "$card/tt_aiclk"
	[ "$(smi -i 0 --query-gpu=clocks.ai --format=csv,noheader)" = '[N/A]' ]
	ln -sf "../../../../../../../../../../../../../../$outside" "$card/tt_aiclk"
	[ "$(smi -i 0 --query-gpu=clocks.ai --format=csv,noheader)" = '[N/A]' ]
}

@test "the reason of a tracing fault: complete from 120 columns on, and readable at 80" {
	rm -r "$D"
	make_machine traced
	local counts doubt whole reason
	counts=$(file "$D/run/tt-smi/bpf/allocations")
	cp "$counts" "$WORK/counts"
	for doubt in unknown-shape single-step missed-free map-full no-throw mesh no-answer; do
		sed "s/unreliable:missed-free/unreliable:$doubt/" "$WORK/counts" >"$counts"
		whole=$(smi -q | grep -o 'Device open (tracing unreliable: .*)')
		reason=${whole#*: }
		COLUMNS=120 smi | grep -F -- "$whole"
		COLUMNS=80 smi | grep -F -- "${reason%)}"
	done
}

@test "serve without its program: says how it is built" {
	cp "$TT_SMI" "$WORK/tt_smi"
	run "$WORK/tt_smi" serve
	echo "$output"
	[ "$status" = 3 ]
	[[ $output = *"libmicrohttpd-dev"*"-DTT_SERVE=ON"* ]]
}
