#!/usr/bin/env bats
# The outputs for programs: JSON of our own and of the vendor's layout.

load helpers
load machines

SCHEMA=$HERE/../../docs/schema.json

check_both() {
	smi --json >"$WORK/out" 2>"$WORK/err"
	[ ! -s "$WORK/err" ]
	python3 "$HERE/check_json.py" "$WORK/out=$D"
	smi -s >"$WORK/snapshot"
	python3 "$HERE/check_vendor.py" "$WORK/snapshot=$WORK/out"
}

# Writes both outputs of every machine to $WORK/NAME.json and $WORK/NAME.s, and keeps the machines.
make_all() {
	local m
	for m in $MACHINES; do
		D=$WORK/m-$m
		make_machine "$m"
		mortal "$TT_SMI" --root "$D" --json >"$WORK/$m.json" 3>&-
		mortal "$TT_SMI" --root "$D" -s >"$WORK/$m.s" 3>&-
	done
}

@test "every machine: valid, consistent with its files, every null has a reason, sums are right" {
	local m ours=() theirs=()
	make_all
	for m in $MACHINES; do
		# Skip the comparison if the checker may read files that tt_smi may not.
		if [ "$m" = unreadable ]; then
			ours+=("$WORK/$m.json")
			theirs+=("$WORK/$m.s")
		else
			ours+=("$WORK/$m.json=$WORK/m-$m")
			theirs+=("$WORK/$m.s=$WORK/$m.json")
		fi
	done
	python3 "$HERE/check_json.py" "${ours[@]}"
	python3 "$HERE/check_vendor.py" "${theirs[@]}"
}

@test "every machine matches docs/schema.json" {
	[ -e "$SCHEMA" ] || skip "docs/schema.json is not there"
	MACHINES=${MACHINES/galaxy-blackhole/} # one of 32 is enough
	make_all
	python3 "$HERE/check_json.py" --schema "$SCHEMA" "$WORK"/*.json
}

@test "a running machine: after two samples the rates and the heartbeat are known" {
	start -b n300,p150a
	smi --json -lms 400 -n 3 >"$WORK/out"
	[ "$(wc -l <"$WORK/out")" = 3 ]
	python3 "$HERE/check_json.py" "$WORK/out"
	[ ! -e "$SCHEMA" ] || python3 "$HERE/check_json.py" --schema "$SCHEMA" "$WORK/out"
	jq -s -e '.[0].devices[0].pci.rx_rate == null and
		.[0].devices[0].unavailable["pci.rx_rate"] == "needs_two_samples" and
		.[2].devices[0].pci.rx_rate >= 0 and .[2].devices[0].heartbeat.alive == true' "$WORK/out"
}

# Names that a program may give itself.
make_hostile() {
	machine -b p150a -w dev=0,dram=1G,name=a -w dev=0,dram=1G,name=b -w dev=0,dram=1G,name=c -w dev=0,dram=1G,name=d \
		-w dev=0,dram=1G,name=e -w dev=0,dram=1G,name=f -w dev=0,dram=1G,name=g -w dev=0,dram=1G,name=h
	hostile 1001 '\377\376\001' '\377\001\0--x=\200\0'
	hostile 1002 'a"b\\c' 'a"b\\c\0"quoted, twice", and\0""\0'
	hostile 1003 'new\nline' 'new\nline\0--text=one\ntwo\r\nthree\0'
	hostile 1004 '\033[2J\033]0;x' '\033[2J\033]0;title\007\033[31m\0\302\233 31m\0'
	hostile 1005 ') S 1 1 (' ') S 1 1 1 (\0'
	hostile 1006 '\360\237\230\200\360\237\230\200' '\346\227\245\346\234\254\350\252\236\345\220\215\345\211\215\343\201\214\351\225\267\343\201\204\0\340\270\201\340\271\211\0'
	hostile 1007 'e\314\201\314\202\314\203' 'e\314\201\314\202\314\203\342\200\256abc\342\200\213\357\273\277\0\355\240\200\300\257\364\220\200\200\0'
	hostile 1008 'long' "$(head -c 100000 /dev/zero | tr '\0' x)"'\0'"$(head -c 50000 /dev/zero | tr '\0' ,)"'\0'
}

hostile() { # PID COMM CMDLINE
	printf "$2\n" >"$(file "$D/proc/$1/comm")"
	printf "$3" >"$(file "$D/proc/$1/cmdline")"
	{
		printf "$1 ($2)"
		sed 's/^[^)]*)//' "$D/proc/$1/stat"
	} >"$WORK/stat"
	cat "$WORK/stat" >"$(file "$D/proc/$1/stat")"
}

@test "hostile names: JSON is valid, and a reader decodes them" {
	make_hostile
	check_both
	python3 - "$WORK/out" <<'P'
import json, sys
data = open(sys.argv[1], "rb").read()
assert data.count(b"\n") == 1 and data.endswith(b"}\n")
assert not [b for b in data[:-1] if b < 0x20 or b == 0x7F], "raw control characters"
document = json.loads(data.decode("utf-8"))
commands = {p["pid"]: p["command"] for p in document["processes"]}
assert len(commands) == 8, commands.keys()
assert commands[1002] == 'a"b\\c "quoted, twice", and ""', commands[1002]
assert "日本語名前が長い" in commands[1006]
assert len(commands[1008]) == 150001 and commands[1008].endswith(",,,")
assert "one\ntwo" in commands[1003] or "one" in commands[1003] and "two" in commands[1003]
# Bytes that are not text are shown as escapes, none is dropped silently.
assert "\ufffd" in commands[1001] and "\ufffd" in commands[1007], ascii(commands)
P
}

@test "hostile names: the vendor's layout has them as bytes" {
	make_hostile
	smi -s >"$WORK/out"
	jq -e '[.processes[].cmdline] | .[0] == "\\xff\\x01 --x=\\x80" and (.[1] | contains("a\"b\\c"))' "$WORK/out"
}

@test "hostile names: tables stay aligned, without control characters" {
	make_hostile
	printf '2.10.1\033[2J\342\200\256\n' >"$(file "$D/sys/module/tenstorrent/version")"
	local c
	for c in 80 81 95 102 120 140 161 180 250; do
		COLUMNS=$c smi >"$WORK/table-$c.txt"
		COLUMNS=$c smi --ascii >"$WORK/table-$c-ascii.txt"
		COLUMNS=$c smi --color=always >"$WORK/table-$c-color.txt"
	done
	python3 "$HERE/widths.py" "$WORK"/table-*.txt
	LC_ALL=C COLUMNS=100 smi >"$WORK/table-100.txt"
	not grep -q -P '[^\x0a\x20-\x7e]' "$WORK"/table-*-ascii.txt "$WORK/table-100.txt"
	smi -q >"$WORK/q"
	not grep -q -P '[\x00-\x09\x0b-\x1f\x7f]' "$WORK/q"
	not grep -q $'\342\200\256' "$WORK/q" "$WORK"/table-*.txt
	grep -q '^Driver Version  *: 2.10.1' "$WORK/q"
	iconv -f UTF-8 -t UTF-8 "$WORK/q" >/dev/null
	# Each process has its lines, and no name has made lines of its own.
	[ "$(grep -c '^        Process Id  *: 100[1-8]$' "$WORK/q")" = 8 ]
	[ "$(grep -c '^            Command  *: ' "$WORK/q")" = 8 ]
	not grep -q -v -E '^( *[A-Z].* : .*|Device .*|    [A-Z][A-Za-z]*|=*TTSMI LOG=* .*|)$' "$WORK/q"
}

@test "hostile names: CSV has a row per process, and a reader finds the columns" {
	make_hostile
	smi --query-compute-apps=pid,process_name,command,used_memory --format=csv >"$WORK/out"
	python3 - "$WORK/out" <<'P'
import csv, sys
csv.field_size_limit(1 << 20)
text = open(sys.argv[1], encoding="utf-8", newline="").read()
assert not [c for c in text if ord(c) < 0x20 and c != "\n"]
rows = list(csv.reader(text.splitlines(), skipinitialspace=True))
assert len(rows) == 9, len(rows)
assert all(len(row) == 4 for row in rows), rows
assert rows[2][2] == 'a"b\\c "quoted, twice", and ""', rows[2]
assert [row[0] for row in rows[1:]] == [str(1001 + i) for i in range(8)]
assert all(row[3] == "1024 MiB" for row in rows[1:])
P
}

@test "pretty and compact say the same" {
	make_machine n300
	smi --json=compact | jq -S . >"$WORK/a"
	smi --json=pretty | jq -S . >"$WORK/b"
	cmp "$WORK/a" "$WORK/b"
	[ "$(smi --json | wc -l)" = 1 ]
	[ "$(smi --json=pretty | wc -l)" -gt 100 ]
}

@test "numbers are numbers in any locale" {
	make_machine n150
	smi --json >"$WORK/a"
	LC_ALL=de_DE.UTF-8 LC_NUMERIC=de_DE.UTF-8 smi --json >"$WORK/b"
	cmp "$WORK/a" "$WORK/b"
}

@test "broken shared memory: reported in errors, not counted, the rest is unaffected" {
	local f
	for f in empty short version magic fifo directory link; do
		machine -b p150a -w dev=0,dram=1G,name=job
		f_path=$(metal_file 0)
		chmod u+w "$f_path"
		case $f in
		empty) : >"$f_path" ;;
		short) truncate -s 100 "$f_path" ;;
		version) printf '\143\0\0\0' | dd of="$f_path" conv=notrunc status=none ;;
		magic) head -c 8192 /dev/zero | tr '\0' '\377' >"$f_path" ;;
		fifo) rm "$f_path" && mkfifo "$f_path" ;;
		directory) rm "$f_path" && mkdir "$f_path" ;;
		link) mv "$f_path" "$WORK/elsewhere" && ln -s "$WORK/elsewhere" "$f_path" ;;
		esac
		smi --json >"$WORK/out"
		python3 "$HERE/check_json.py" "$WORK/out=$D"
		echo "$f: $(jq -c '.errors, .processes[0].devices[0].unavailable.dram' "$WORK/out")"
		jq -e '.devices[0].memory.used == null and .processes[0].devices[0].dram == null and
			.devices[0].temperature > 0' "$WORK/out"
		if [ "$f" = version ]; then
			jq -e '.processes[0].devices[0].unavailable.dram == "unknown_version" and
				(.errors[0].message | contains("unknown version 99"))' "$WORK/out"
		fi
		rm -rf "$D" "$WORK/elsewhere"
	done
}

# vendor [OPTIONS]: -s with these options prints the same as -s alone, except for the time.
vendor() {
	diff <(smi -s | grep -v '"time"') <(smi -s "$@" | grep -v '"time"')
}

@test "options that callers of the vendor's tool pass with -s are accepted" {
	make_machine n300
	vendor --snapshot_no_tty
	vendor --offline -c --use_luwen
	vendor --compact
	smi -s --snapshot_no_tty -f "$WORK/file"
	jq -e '.device_info | length == 2' "$WORK/file"
}

@test "-l without a number and with -s is the vendor's --local, with a number it is a loop" {
	make_machine n300
	local o
	for o in '-s -l' '-l -s' '-s --local' '-s -l --snapshot_no_tty'; do
		timeout 300 "$TT_SMI" --root "$D" $o >"$WORK/out" 3>&-
		[ "$(jq -c '[.device_info[].board_info.board_type]' "$WORK/out")" = '["n300 L"]' ]
	done
	[ "$(smi -s -l 0.02 -n 2 | jq '.device_info | length')" = $'2\n2' ]
	[ "$(smi -s --loop -n 1 | jq '.device_info | length')" = 2 ]
	[ "$(smi --json -l -n 1 | jq '.devices | length')" = 2 ]
	# In every other output as well.
	[ "$(smi -L --local | wc -l)" = 1 ]
	[ "$(smi --json --local -i 0,0R | jq -c '[.devices[].id]')" = '[0]' ]
	expect_error 6 '--local leaves out chips without PCIe' -L --local -i 0R
}

@test "limits that no file has are null, and a typed reader accepts them" {
	make_machine driver-2.8
	smi -s >"$WORK/out"
	jq -e '[.device_info[].limits[]] | all(type == "string" or . == null)' "$WORK/out"
	jq -e '.device_info[].limits | .asic_fmax == null and .board_power_limit == null' "$WORK/out"
}

@test "Wormhole's AICLK is a register in hexadecimal" {
	make_machine n150
	[ "$(smi -s | jq -r '.device_info[0].smbus_telem.AICLK')" = "$(printf '0x%x' "$(cat "$(class 0)/tt_aiclk")")" ]
}

@test "the trays of a Galaxy, in the form that readers of the vendor's table split" {
	make_machine galaxy-wormhole
	LC_ALL=C smi -glx_list_tray_to_device >"$WORK/out" 2>"$WORK/err"
	diff - "$WORK/out" <<-'END'
		      Mapping of trays to devices on the galaxy:
		┏━━━━━━━━━━━━━┳━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━━━┓
		┃ Tray Number ┃ Tray Bus ID ┃ /dev/tenstorrent/<id>   ┃
		┡━━━━━━━━━━━━━╇━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━━━┩
		│ 1           │ 0xc0        │ 0,1,2,3,4,5,6,7         │
		│ 2           │ 0x80        │ 8,9,10,11,12,13,14,15   │
		│ 3           │ 0x00        │ 16,17,18,19,20,21,22,23 │
		│ 4           │ 0x40        │ 24,25,26,27,28,29,30,31 │
		└─────────────┴─────────────┴─────────────────────────┘
	END
	grep -q SIMULATED "$WORK/err"
	[ "$(smi --galaxy_6u_list_tray_to_device --ascii -i tray:3,5 2>/dev/null | sed -n 5,6p)" = \
		$'| 1           | 0xc0        | 5                       |\n| 3           | 0x00        | 16,17,18,19,20,21,22,23 |' ]
	rm -r "$D"
	make_machine n300
	expect_error 3 'not a Galaxy' -glx_list_tray_to_device
}
