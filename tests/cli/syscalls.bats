#!/usr/bin/env bats
# What it asks of the kernel: it looks, and touches nothing.

load helpers
load machines

setup() {
	[ -z "${TT_INSTRUMENTED:-}" ] || skip "built with $TT_INSTRUMENTED, whose runtime makes system calls of its own"
	command -v strace >/dev/null || skip "no strace here"
	strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
	# Not below /dev, which the stage replaces.
	WORK=$(mktemp -d -p "/tmp/${TT_TEST_RUN:-}")
	D=$WORK/sim
	SIM=
	STARTED=
}

# traced [OPTIONS]: tt_smi on $D under strace, the trace in $WORK/trace.
traced() {
	strace -f -y -o "$WORK/trace" "$TT_SMI" --root "$D" "$@" >"$WORK/out" 2>"$WORK/err" 3>&-
	[ -s "$WORK/out" ] || [ "${SILENT:-}" ]
}

check() {
	python3 "$HERE/check_trace.py" "$WORK/trace" "$@"
}

@test "the checker notices what it is for" {
	local call
	for call in 'openat(3</>, "dev/tenstorrent/0", O_RDONLY|O_CLOEXEC) = 4</dev/tenstorrent/0>' \
		'openat(7</proc/12/fd>, "9", O_RDONLY) = 4</dev/tenstorrent/0>' \
		'open("/dev/tenstorrent/3", O_RDWR|O_APPEND) = -1 EACCES (Permission denied)' \
		'openat(AT_FDCWD</>, "/tmp/x", O_WRONLY|O_CREAT, 0666) = 4</tmp/x>' \
		'write(5</dev/shm/tt_device_1_memory>, "x", 1) = 1' 'unlink("/tmp/x") = 0' \
		'mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 4</dev/shm/x>, 0) = 0x7f0000000000' \
		'socket(AF_INET, SOCK_STREAM, 0) = 4' 'kill(1, SIGTERM) = 0' 'ptrace(PTRACE_ATTACH, 1) = 0' \
		'ioctl(4</dev/zero>, _IOC(_IOC_NONE, 0xfa, 0, 0)) = 0' 'clock_nanosleep(CLOCK_MONOTONIC, 0, {}, NULL) = 0'; do
		printf '12 openat(3</>, "proc", O_RDONLY) = 4</proc>\n' >"$WORK/trace"
		check
		printf '12 %s\n' "$call" >>"$WORK/trace"
		not check || { echo "let through: $call"; return 1; }
	done
}

@test "once, in every mode: no device is opened, nothing is written, nobody is asked, nothing is waited for" {
	make_machine n300
	local m
	for m in '' --color=always -L -q --json --json=pretty -s --query-gpu=index,temperature.gpu,memory.used \
		--query-compute-apps=pid,name,used_memory '-i 0' -h -V --help-query-gpu; do
		traced $m
		check || { echo "mode: $m"; return 1; }
	done
}

@test "on the odd machines as well" {
	local m
	for m in driver-2.4 dead no-telemetry garbage stale processes; do
		make_machine "$m"
		traced
		check
		traced --json
		check
		chmod -R u+rwx "$D"
		rm -r "$D"
	done
}

@test "the doctor opens no device, whatever is mapped, and writes nothing" {
	local m
	for m in n300 traced unreadable; do
		make_machine "$m"
		echo "7f0000000000-7f0000100000 r-xp 00000000 08:01 4711    /dev/tenstorrent/0" >>"$(file "$D/proc/1001/maps")"
		mkfifo "$D/pipe"
		echo "7f0000200000-7f0000300000 r-xp 00000000 08:01 4712    /pipe" >>"$D/proc/1001/maps"
		TT_SMI_ROOT=$D timeout 60 strace -f -y -o "$WORK/trace" "$TT_SMI" doctor >"$WORK/out" 3>&- || [ $? = 1 ]
		[ -s "$WORK/out" ]
		check
		chmod -R u+rwx "$D"
		rm -r "$D"
	done
}

@test "in a loop it waits, and does nothing else" {
	make_machine n300
	local m
	for m in '-lms 20 -n 4' '-w -r 100 -n 3' '--json -lms 20 -n 3' '-q -l 0.02 -n 2'; do
		traced $m
		check --sleep || { echo "mode: $m"; return 1; }
	done
}

@test "a rate that is asked for by name is the one thing that waits" {
	make_machine n300
	traced --query-gpu=pcie.rx
	check --sleep
	grep -q nanosleep "$WORK/trace"
	not check
}

@test "-f writes that file, through one beside it, and no other" {
	make_machine n300
	mkdir "$WORK/o"
	SILENT=1 traced -f "$WORK/o/file"
	check --write "$WORK/o/file"
	not check # the checker does notice
	SILENT=1 traced -f "$WORK/o/file" -lms 20 -n 2
	check --write "$WORK/o/file" --sleep
	SILENT=1 traced --json -f /dev/null
	check --write /dev/null
}

@test "on a terminal: in place, and nothing but the terminal is written" {
	command -v script >/dev/null || skip "no script(1) for a terminal"
	make_machine n300
	script -qec "strace -f -y -o $WORK/trace $TT_SMI --root $D -w --plain -r 100 -n 3" /dev/null </dev/null >"$WORK/out" 3>&-
	grep -q "tt-smi" "$WORK/out"
	check --sleep
}

@test "a living machine with real processes" {
	start -b n300,p150a
	traced
	check
	traced --json -lms 50 -n 5
	check --sleep
}

@test "at the true paths, with holders, with and without the driver's list" {
	needs_mounts
	mkdir "$D"
	local v
	for v in 2.10.1 2.4.0; do
		private "$HERE/stage.sh" "$D" "$TT_SMI_SIM" --driver $v -w dev=5,dram=1G -- bash -c '
			exec 8</dev/tenstorrent/5 9<>/dev/tenstorrent/7
			sleep 600 3>&- &
			trap "kill $!" EXIT
			[ ! -d /proc/driver/tenstorrent ] || echo $! | tee /proc/driver/tenstorrent/5/pids >/proc/driver/tenstorrent/7/pids
			for mode in "" --json -q -s "--query-compute-apps=pid,name" "--json -lms 20 -n 3"; do
				# A walk under strace, past thousands of processes, may be too late: asked again.
				for try in 1 2 3 4 5 6; do
					strace -f -y -o "$1/trace" "$2" $mode 8<&- 9<&- >"$1/out" || exit 91
					grep -q -w $! "$1/out" && break
					[ $try -lt 6 ] || { cat "$1/out"; exit 92; }
				done
				python3 "$3/check_trace.py" "$1/trace" --server --sleep || exit 93
				case $mode in
				*lms*) ;;
				*) not_slept=$(grep -c nanosleep "$1/trace"); [ "$not_slept" = 0 ] || exit 94 ;;
				esac
			done' sh "$WORK" "$TT_SMI" "$HERE" 3>&-
	done
}

# opened PATTERN: was a file of this name?
opened() {
	grep -q -E "openat2?\(.*\"[^\"]*($1)[^\"]*\"" "$WORK/trace"
}

@test "what is not shown is not read" {
	make_machine n300
	traced --query-gpu=memory.total
	not opened 'pids|dev/shm|proc/1001|fw_bundle|pcie_perf|hwmon|heartbeat'
	opened tt_card_type
	traced --query-gpu=memory.l1.total
	opened fw_bundle
	not opened 'pids|dev/shm|proc/1001|pcie_perf|hwmon'
	traced --query-gpu=temperature.gpu
	opened temp1_input
	not opened 'pids|dev/shm|proc/1001|pcie_perf|heartbeat|temp1_max|power1|aiclk'
	traced -q -d CLOCK,POWER
	opened 'power1_max'
	not opened 'pids|dev/shm|proc/1001|pcie_perf|temp1_max|heartbeat'
	traced -L
	not opened 'pids|dev/shm|proc/1001|pcie_perf|hwmon|heartbeat'
	traced -s
	opened 'proc/1001/cmdline'
	not opened 'pcie_perf'
	COLUMNS=80 traced
	not opened 'pcie_perf|aiclk|link_speed|fan1|in0|curr1|m3app'
}

@test "a device is looked at with few calls, and in a loop with fewer" {
	machine -b 8xp150a --no-workloads
	rm "$D/captured_at"
	traced --json -lms 20 -n 2
	local two twelve
	two=$(wc -l <"$WORK/trace")
	traced --json -lms 20 -n 12
	twelve=$(wc -l <"$WORK/trace")
	# Kept descriptors: a reading is one call. Futexes come as they like, hence the room.
	echo "per device and refresh: $(((twelve - two) / 80))"
	[ $(((twelve - two) / 80)) -le 60 ]
	[ "$(grep -c 'openat(.*tt_aiclk' "$WORK/trace")" = 8 ]
}
