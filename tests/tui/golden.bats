#!/usr/bin/env bats
# Every view of recorded machines with 0, 1, 4 and 32 devices, in terminals of four
# sizes, compared with the files in golden/.
#
# After an intended change: UPDATE_GOLDEN=1 bats golden.bats, then read the difference in git:
# each changed line must be right.

load helpers

# The clock of the program stands still (tests/tui/clock.c), except in builds with a sanitizer, which has its own
# time functions: there the characters of charts and bars are not compared.
CLOCKED=$(dirname "$TT_SMI")/tests/tui/tui_clocked

setup() {
	command -v tmux >/dev/null || skip "no tmux here"
	make_work
	python3 -c 'import struct, sys; sys.stdout.buffer.write(struct.pack("qqq", 100000 * 10**9, 0, 0))' >"$WORK/clock"
}

# Advances the clock, so that a program that still waits for it ends.
teardown() {
	[ ! -e "$WORK/clock" ] || printf '\377\377\377\377\377\377\377\1' | dd of="$WORK/clock" conv=notrunc status=none
	close_terminal
	clean_up
}

watch() { # COLUMNSxROWS [OPTIONS]
	local size=$1
	shift
	if [ -n "${TT_SANITIZE:-}" ]; then
		terminal "$size" "$TT_SMI" --root "$D" -w "$@"
	else
		terminal "$size" env TT_CLOCK="$WORK/clock" "$CLOCKED" show --root "$D" -w "$@"
	fi
}

SIZES='80x24 120x40 200x60 40x10'
[ -z "${TT_SANITIZE:-}" ] || SIZES='80x24 200x60' # programs with a sanitizer are slow
VIEWS='overview grid processes memory device'

none() {
	machine -b n150 --no-workloads
	rm -r "$D"/sys/class/tenstorrent/*
}

one() {
	machine -b n150 --load 50 -w 'dev=0,dram=4G,l1=20M,cb=8M,name=python3,args=serve.py --port 8000,age=3723' \
		-w dev=0,via=none,name=jupyter-lab
}

four() {
	machine -b n300,p150a,p300 --load 70 --fault dead:1 -w 'dev=0+2,dram=8G,l1=30M,name=train,util=437,age=90061' \
		-w dev=3,dram=20G,name=$'caf\303\251-\346\274\242\345\255\227' -w dev=2,via=none,name=$'\033[31mred'
}

thirty_two() {
	machine -b galaxy-blackhole --load 60 --fault set:20/temp1_input=95000 \
		-w dev=0+1+2+3+4+5+6+7,dram=20G,l1=64M,name=llama,util=640 -w dev=9,dram=31G,name=full -w dev=16+17,dram=1G,name=small -w dev=31,via=none,name=idle
}

# matches FILE [ends_with]: the screen is that in the file. With UPDATE_GOLDEN, writes the file first.
matches() {
	if [ -n "${UPDATE_GOLDEN:-}" ]; then
		[ -z "${2:-}" ] || "$2" true
		python3 "$HERE/settled.py" "$SOCKET" | timeless >"$1"
	fi
	eventually ${2:+"$2"} same "$1" || { diff -u <(timeless "$1") <(screen | timeless); false; }
}

check() { # MACHINE
	local size view key
	"$1"
	mkdir -p "$HERE/golden/$1"
	for size in $SIZES; do
		watch "$size" -r 60000
		key=0
		for view in $VIEWS; do
			key=$((key + 1))
			keys $key
			matches "$HERE/golden/$1/$view-$size.txt"
		done
		close_terminal
	done
}

timeless() {
	if [ -n "${TT_SANITIZE:-}" ]; then
		sed 's/seen for [0-9] s/N\/A         /; s/seen for [0-9][0-9] s/N\/A          /; s/   +0B\( since start\)\?//
			s/[⠁-⣿▁▂▃▄▅▆▇█]/ /g; s/ *$//' "$@"
	else
		cat "$@"
	fi
}

same() {
	if [ -n "${TT_SANITIZE:-}" ]; then
		cmp -s <(timeless "$1") <(screen | timeless)
	else
		screen | cmp -s - "$1"
	fi
}

@test "no device" {
	check none
}

@test "one device" {
	check one
}

@test "four devices, one dead, one without PCIe, and hostile names" {
	check four
}

@test "thirty-two devices" {
	check thirty_two
}

@test "overlays: setup, help, menus, a process" {
	local size
	four
	for size in 80x24 120x40 40x10; do
		watch "$size" -r 60000
		eventually shows Overview
		keys S
		matches "$HERE/golden/four/setup-$size.txt"
		keys End
		matches "$HERE/golden/four/setup-end-$size.txt"
		keys Escape h
		matches "$HERE/golden/four/help-$size.txt"
		keys Escape F6
		matches "$HERE/golden/four/sort-$size.txt"
		keys Escape u
		matches "$HERE/golden/four/user-$size.txt"
		keys Escape 3 k Enter
		matches "$HERE/golden/four/question-$size.txt"
		keys Escape Down Enter
		eventually shows 'Process Id'
		keys End
		matches "$HERE/golden/four/process-$size.txt" ends_with
		close_terminal
	done
}

@test "charts of several devices, of blocks" {
	local size
	thirty_two
	for size in 80x24 200x60; do
		TT_SMI_CHART=power TT_SMI_CHARTS=devices TT_SMI_SIGNS=blocks watch "$size" -r 60000
		eventually shows Overview
		keys Right Right Right
		matches "$HERE/golden/thirty_two/charts-$size.txt"
		keys 4
		matches "$HERE/golden/thirty_two/memory-charts-$size.txt"
		keys 5 # several readings of one device, whatever was chosen
		resize 120 40
		eventually shows ' +[0-9]* (g)'
		close_terminal
	done
}

@test "no line is wider than its terminal, cut parts are counted, no figure is cut" {
	python3 - "$HERE"/golden/*/*.txt <<'E'
import re, sys, unicodedata
for name in sys.argv[1:]:
    columns, rows = map(int, re.search(r"-(\d+)x(\d+)\.txt$", name).groups())
    lines = open(name, encoding="utf-8").read().split("\n")[:-1]
    assert len(lines) <= rows, name
    for line in lines:
        wide = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
        assert wide <= columns, (name, line)
        assert all(c.isprintable() for c in line), (name, line)
        # A title leaves out figures that do not fit, and never truncates them.
        title = r"─ ▶?(DRAM|L1|Power|Temperature|AICLK|PCIe|Compute)  [^─]*…"
        assert not re.search(title, line), (name, line)
        assert not re.search(r"\b(in|out) [\d.]+\w*…", line), (name, line)
    assert not re.search(r"\d[.\dkMGTWB]*…", lines[0]), (name, lines[0])
E
	grep -q '+[0-9]* devices' "$HERE/golden/thirty_two/overview-40x10.txt"
}
