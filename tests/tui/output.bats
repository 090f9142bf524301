#!/usr/bin/env bats
# What the full screen writes, how much of it, and which system calls its refreshes make.

load helpers

@test "a slow terminal gets fewer frames, and keys still count" {
	start -b galaxy-blackhole
	python3 "$HERE/slow.py" "$TT_SMI" "$D"
}

@test "a stalled terminal does not prevent the exit" {
	machine -b galaxy-blackhole
	python3 "$HERE/stalled.py" "$TT_SMI" "$D"
}

@test "nothing is written if only the time has changed" {
	machine -b galaxy-blackhole
	python3 "$HERE/quiet.py" "$TT_SMI" "$D"
}

@test "on a machine where nothing changes only the clock is written" {
	start -b galaxy-blackhole --static --no-workloads
	python3 "$HERE/quiet.py" "$TT_SMI" "$D" --clock
}

@test "of a reading that changes, only the digits and a column of its chart are written" {
	start -b n150 --static --no-workloads
	python3 "$HERE/changes.py" "$TT_SMI" "$D"
}

@test "what is kept open of a process is not opened for each sample" {
	command -v strace >/dev/null || skip "no strace here"
	[ -z "${TT_INSTRUMENTED:-}" ] || skip "built with $TT_INSTRUMENTED, whose runtime makes system calls of its own"
	start -b n150 --static --no-workloads
	python3 "$HERE/refresh_calls.py" "$TT_SMI" "$D"
}

@test "no device is opened, and nothing but the terminal is written" {
	command -v strace >/dev/null || skip "no strace here"
	[ -z "${TT_INSTRUMENTED:-}" ] || skip "built with $TT_INSTRUMENTED, whose runtime writes files of its own"
	start -b n150,p150a
	terminal 100x30 strace -f -qq -o "$WORK/trace" -e trace=open,openat,creat,unlink,rename,mkdir,kill \
		"$TT_SMI" --root "$D" -w -r 100
	eventually shows '─ DRAM  '
	keys 2 3 4 5 h q
	eventually shows '^IDENTITY'
	keys q
	eventually shows 'code 0'
	[ "$(grep -c openat "$WORK/trace")" -gt 50 ]
	not grep -E 'dev/tenstorrent/[0-9]+"' "$WORK/trace"
	# The program opens the terminal again, to write to it without blocking.
	grep -v '"/proc/self/fd/1"' "$WORK/trace" >"$WORK/others"
	not grep -E 'O_WRONLY|O_RDWR|O_CREAT|unlink|rename|mkdir|kill\(|creat\(' "$WORK/others"
}
