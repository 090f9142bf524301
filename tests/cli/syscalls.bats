#!/usr/bin/env bats
# The system calls of tt_smi: it reads, and changes nothing.

load helpers
load machines

setup() {
	[ -z "${TT_INSTRUMENTED:-}" ] || skip "built with $TT_INSTRUMENTED, whose runtime makes system calls of its own"
	command -v strace >/dev/null || skip "no strace here"
	strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
	# Not in /dev/shm: cases look for that name in calls.
	WORK=$(mktemp -d -p "/tmp/${TT_TEST_RUN:-}")
	D=$WORK/sim
	SIM=
	STARTED=
}

# traced [OPTIONS]: runs tt_smi on $D under strace, which writes $WORK/trace.
traced() {
	strace -f -y -o "$WORK/trace" "$TT_SMI" --root "$D" "$@" >"$WORK/out" 2>"$WORK/err" 3>&-
	[ -s "$WORK/out" ] || [ "${SILENT:-}" ]
}

check() {
	python3 "$HERE/check_trace.py" "$WORK/trace" "$@"
}

@test "the checker detects each kind of violation" {
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

@test "once, in every mode: opens no device, writes nothing, connects to nothing, waits for nothing" {
	make_machine n300
	local m
	for m in '' --color=always -L -q --json --json=pretty -s --query-gpu=index,temperature.gpu,memory.used \
		--query-compute-apps=pid,name,used_memory '-i 0' -h -V --help-query-gpu; do
		traced $m
		check || { echo "mode: $m"; return 1; }
	done
}

@test "the same on unusual machines" {
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

@test "doctor opens no device, whatever is mapped, and writes nothing" {
	local m
	for m in n300 traced unreadable; do
		make_machine "$m"
		echo "7f0000000000-7f0000100000 r-xp 00000000 08:01 4711    /dev/tenstorrent/0" >>"$(file "$D/proc/1001/maps")"
		mkfifo "$D/pipe"
		echo "7f0000200000-7f0000300000 r-xp 00000000 08:01 4712    /pipe" >>"$D/proc/1001/maps"
		TT_SMI_ROOT=$D timeout 300 strace -f -y -o "$WORK/trace" "$TT_SMI" doctor >"$WORK/out" 3>&- || [ $? = 1 ]
		[ -s "$WORK/out" ]
		check
		chmod -R u+rwx "$D"
		rm -r "$D"
	done
}

@test "a loop waits between samples, and does nothing else" {
	make_machine n300
	local m
	for m in '-lms 20 -n 4' '-w -r 100 -n 3' '--json -lms 20 -n 3' '-q -l 0.02 -n 2'; do
		traced $m
		check --sleep || { echo "mode: $m"; return 1; }
	done
}

@test "only a rate that is requested by name waits" {
	make_machine n300
	traced --query-gpu=pcie.rx
	check --sleep
	grep -q nanosleep "$WORK/trace"
	not check
}

@test "-f writes that file, through a temporary one, and no other" {
	make_machine n300
	mkdir "$WORK/o"
	SILENT=1 traced -f "$WORK/o/file"
	check --write "$WORK/o/file"
	not check # proves that the checker works
	SILENT=1 traced -f "$WORK/o/file" -lms 20 -n 2
	check --write "$WORK/o/file" --sleep
	SILENT=1 traced --json -f /dev/null
	check --write /dev/null
}

@test "on a terminal: in place, and only the terminal is written" {
	command -v script >/dev/null || skip "no script(1) for a terminal"
	make_machine n300
	SHELL=/bin/sh script -qec "strace -f -y -o $WORK/trace $TT_SMI --root $D -w --plain -r 100 -n 3" /dev/null </dev/null >"$WORK/out" 3>&-
	grep -q "tt-smi" "$WORK/out"
	check --sleep
}

@test "the first screen: one program, and nothing that only later screens show" {
	command -v script >/dev/null || skip "no script(1) for a terminal"
	[ "$TT_SCREEN" = 1 ] || skip "no full screen in this build"
	machine -b 4xp150a --no-workloads
	rm "$D/captured_at"
	SHELL=/bin/sh script -qec "stty cols 80 rows 24; strace -f -y -o $WORK/trace $TT_SMI --root $D -w -n 3" /dev/null </dev/null >"$WORK/out" 3>&-
	grep -q Quit "$WORK/out"
	# All devices were read once before a heartbeat or an id of the first is.
	local later
	for later in tt_heartbeat tt_asic_id pcie_perf; do
		opened "$later"
		[ "$(sed "/$later/q" "$WORK/trace" | grep -c 'pread64(.*temp1_input')" -ge 4 ]
	done
	[ "$(sed /tt_heartbeat/q "$WORK/trace" | grep -c 'close(.*tt_card_type')" = 0 ]
	not grep -q INTERP <(readelf -l "$TT_SMI") || skip "not linked statically: the screen is a second program"
	[ "$(grep -c 'execve(.*= 0' "$WORK/trace")" = 1 ]
}

@test "a running machine with real processes" {
	start -b n300,p150a
	traced
	check
	traced --json -lms 50 -n 5
	check --sleep
}

# opened PATTERN: was a file with such a name opened?
opened() {
	grep -q -E "openat2?\(.*\"[^\"]*($1)[^\"]*\"" "$WORK/trace"
}

@test "values that are not shown are not read" {
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
	once
	opened 'proc/1001/status' # the user of the process decides which files of TT-Metal count
	[ "$(grep -c ' read(.*proc/1001/cmdline' "$WORK/trace")" = 1 ]
	rm -f "$D"/dev/shm/tt_device_*
	traced
	opened 'proc/1001/cmdline'
	not opened 'proc/1001/status'
	traced --json
	opened 'proc/1001/status'
	COLUMNS=80 traced
	not opened 'pcie_perf|aiclk|link_speed|fan1|in0|curr1|m3app'
	# Files of values that need two samples are not read for one.
	COLUMNS=300 once
	not opened 'heartbeat|pcie_perf'
	COLUMNS=300 traced -lms 20 -n 2
	opened heartbeat
	opened pcie_perf
}

@test "serial numbers are read only for files of TT-Metal that no ASIC id names" {
	machine -b 3xp150a -w dev=1,dram=1G,l1=1M,name=job
	once
	cp "$WORK/out" "$WORK/expected"
	grep -q 'job .* 1.0GB' "$WORK/expected"
	not opened tt_serial
	# As UMD names it if Ethernet links are trained.
	mv "$(metal_file 1)" "$D/dev/shm/tt_device_$((0x$(cat "$(class 1)/tt_serial") * 32))_memory"
	once
	diff "$WORK/expected" "$WORK/out"
	[ "$(opens tt_asic_id)" = 3 ]
	[ "$(opens tt_serial)" = 3 ]
}

# opens NAME: how often a file of this name was opened.
opens() {
	grep -c -E "openat2?\(.*[\"/]$1\"" "$WORK/trace"
}

@test "a single table reads ids and firmware of the devices in use only" {
	machine -b 4xp150a -w dev=1,dram=1G,l1=1M,name=job
	once
	grep -q 'job .* 1.0GB' "$WORK/out"
	[ "$(opens temp1_input)" = 4 ]
	[ "$(opens tt_asic_id)" = 1 ]
	[ "$(opens tt_fw_bundle_ver)" = 1 ]
	# A file of a process that has exited, for a device that is not in use.
	cp "$(metal_file 1)" "$(metal_file 2)"
	once
	[ "$(opens tt_asic_id)" = 4 ]
	[ "$(opens tt_fw_bundle_ver)" = 2 ]
	# Other outputs show these values, or compare them with those of the last sample.
	traced -q
	[ "$(opens tt_asic_id)" = 4 ]
	[ "$(opens tt_fw_bundle_ver)" = 4 ]
	once -i 3
	[ "$(opens tt_asic_id)" = 4 ]
}

# by_main PATTERN: how many calls of this form the first thread made, without futex, whose number varies.
# If calls of two threads overlap, strace prints a call in two lines; the second one has no such form.
by_main() { grep -E "^$(head -n 1 "$WORK/trace" | cut -d' ' -f1) +$1" "$WORK/trace" | grep -c -v -E ' futex\(' || true; }

# The same of the other threads, without the calls by which the standby examines, again and again, whether the
# first thread hangs: it reads the clock and the state of that thread.
by_other() {
	grep -v -E "^$(head -n 1 "$WORK/trace" | cut -d' ' -f1) |/task/[0-9]+/stat" "$WORK/trace" | grep -c -E "^[0-9]+ +$1" || true
}

# Under strace a thread may be so slow that it seems to hang; then the other one repeats everything.
once() {
	for _ in $(seq 50); do
		traced "$@"
		[ "$(by_other 'openat')" = 0 ] && return
	done
	echo "a second thread read in each of 50 runs"
	return 1
}

# The number of calls in the trace, without futex.
calls() { grep -c -v -E 'futex|resumed>' "$WORK/trace"; }

@test "a device is read with few system calls, and with fewer in a loop" {
	machine -b 8xp150a --no-workloads
	rm "$D/captured_at"
	local two twelve
	traced --json -lms 20 -n 2
	two=$(calls)
	traced --json -lms 20 -n 12
	twelve=$(calls)
	# Descriptors are kept, so a reading is one call.
	echo "per device and refresh: $(((twelve - two) / 80))"
	[ $(((twelve - two) / 80)) -le 40 ]
	[ "$(grep -c 'openat(.*tt_aiclk' "$WORK/trace")" = 8 ]
}

# refreshes NAME: how often a file was read, and how often it can be read at most at intervals of 0.9 s.
refreshes() {
	awk -v name="/$1>" '
		/ pread64\(/ && index($0, name) { reads++ }
		/ write\(1</ { if (!begin) begin = $2; end = $2 }
		END { print reads, int(2 + (end - begin) / 0.9) }' "$WORK/trace"
}

@test "a loop of the table reads processes once a second, and devices in every sample" {
	machine -b p150a -w dev=0,dram=1G,name=job
	rm "$D/captured_at"
	local reads most
	for _ in $(seq 20); do
		strace -f -y -ttt -o "$WORK/trace" "$TT_SMI" --root "$D" -lms 50 -n 41 >"$WORK/out" 3>&-
		[ "$(grep -c 'job .* 1.0GB' "$WORK/out")" = 41 ]
		read -r reads most <<<"$(refreshes pids)"
		echo "$reads reads of the list of holders, $most at most"
		[ "$reads" -ge 2 ]
		# More if a read was so late that the device had another state for a moment.
		[ "$reads" -gt "$most" ] || break
	done
	[ "$reads" -le "$most" ]
	read -r reads _ <<<"$(refreshes temp1_input)"
	[ "$reads" -ge 41 ]
}

# once_on BOARDS: the number of calls of one output on such a machine.
once_on() {
	machine -b "$1" --no-workloads
	rm "$D/captured_at"
	once
	by_main '[a-z]'
	chmod -R u+rwx "$D"
	rm -r "$D"
}

@test "one output opens what it shows, and closes and lists nothing for it" {
	local two ten
	two=$(once_on 2xp150a)
	ten=$(once_on 10xp150a)
	# Two directories, the address, the check for a second hwmon, seven readings, the list of holders.
	echo "per device: $(((ten - two) / 8)), $two, $ten"
	[ $(((ten - two) / 8)) -le 20 ]
	[ "$(grep -c 'getdents64(.*/hwmon' "$WORK/trace")" = 0 ]
	[ "$(grep -c 'close(.*/sys/devices' "$WORK/trace")" = 0 ]
}

@test "descriptors are closed if not all of them may stay open" {
	machine -b 10xp150a --no-workloads
	rm "$D/captured_at"
	once
	cp "$WORK/out" "$WORK/expected"
	ulimit -n 160
	once
	[ "$(grep -c 'close(.*tt_card_type' "$WORK/trace")" = 10 ]
	diff <(grep °C "$WORK/expected") <(grep °C "$WORK/out")
}

# hold FD: starts a process that has descriptors 0 to 2 and device 0 as descriptor FD; the driver lists it.
hold() {
	python3 -c '
import os, signal, sys
os.closerange(3, 1024)
device = os.open(sys.argv[1], os.O_RDONLY)
if device != int(sys.argv[2]):
    os.dup2(device, int(sys.argv[2]))
    os.close(device)
signal.pause()' "$D/dev/tenstorrent/0" "$1" </dev/null >/dev/null &
	STARTED=$!
	eventually test "/proc/$STARTED/fd/$1" -ef "$D/dev/tenstorrent/0"
	ln -sfn "/proc/$STARTED" "$D/proc/$STARTED"
	echo "$STARTED" >"$(file "$D/proc/driver/tenstorrent/0/pids")"
}

@test "the descriptors of a holder are tried by number, and listed if there are large gaps" {
	[ "$(stat -c %s /proc/self/fd)" -gt 0 ] || skip "before Linux 6.2 a process's descriptors are not counted"
	machine -b p150a --no-workloads
	rm "$D/captured_at"
	local fd lists
	for fd in 3 6 200; do
		hold "$fd"
		once
		lists=$(grep -c "getdents64(.*/$STARTED/fd>" "$WORK/trace" || true)
		grep -q "readlinkat(.*/$STARTED/fd>, \"$fd\"" "$WORK/trace"
		# Its stat and command line are opened once, and so is the directory.
		[ "$(grep -c "openat(.*proc/$STARTED/" "$WORK/trace")" = 3 ]
		kill "$STARTED"
		wait "$STARTED" || true
		grep -q "│ $STARTED .*Device open" "$WORK/out"
		[ "$((lists > 0))" = "$((fd == 200))" ]
	done
}

# hwmon_as DEVICE NUMBER: renames the directory, as if it had been registered at another time.
hwmon_as() {
	local at
	at=$(cd "$D/sys/class/tenstorrent/tenstorrent!$1/device/hwmon" && pwd -P)
	chmod u+w "$at"
	mv "$at"/hwmon* "$at/hwmon$2"
}

@test "hwmon directories with other numbers are found" {
	machine -b 5xp150a --no-workloads
	rm "$D/captured_at"
	once
	cp "$WORK/out" "$WORK/expected"
	hwmon_as 0 7
	hwmon_as 1 8
	hwmon_as 2 9
	hwmon_as 3 4
	hwmon_as 4 10
	once
	diff <(grep °C "$WORK/expected") <(grep °C "$WORK/out")
	# 7 - 0 = 8 - 1 = 9 - 2: listed for the first device, and where the guess fails.
	[ "$(grep -c 'getdents64(.*/hwmon' "$WORK/trace")" -ge 3 ]
	[ "$(grep -E -c 'openat\(.*"device/hwmon",' "$WORK/trace")" = 3 ]
	# Of two hwmon directories, the one with a file `name` counts, whatever its number.
	local at
	at=$(cd "$D/sys/class/tenstorrent/tenstorrent!1/device/hwmon" && pwd -P)
	cp -r "$at/hwmon8" "$at/hwmon80"
	rm -f "$at/hwmon8/name"
	echo 1000 >"$(file "$at/hwmon8/temp1_input")"
	once
	diff <(grep °C "$WORK/expected") <(grep °C "$WORK/out")
}

@test "a loop of the table reads slow values at a low rate, one for programs in every sample" {
	machine -b 8xp150a --no-workloads
	rm "$D/captured_at"
	# Less often than in each of six samples, however long these take.
	traced -lms 20 -n 6
	[ "$(grep -c 'pread64(.*temp1_input' "$WORK/trace")" = 48 ]
	[ "$(grep -c 'pread64(.*tt_therm_trip_count' "$WORK/trace")" -lt 48 ]
	traced --json -lms 20 -n 6
	[ "$(grep -c 'pread64(.*tt_therm_trip_count' "$WORK/trace")" = 48 ]
}

@test "one output starts one thread, which only waits" {
	machine -b 4xp150a -w dev=0,dram=1G
	once
	[ "$(by_main 'clone3?\(')" = 1 ]
	[ "$(by_other '(openat|openat2|read|pread64|getdents64|write)\(')" = 0 ]
	# Four sources would read files of the tracer, whose folder is not there.
	[ "$(grep -c 'run/tt-smi/bpf' "$WORK/trace")" = 1 ]
}

@test "a static program loads no library and no locale for our own characters" {
	not grep -q INTERP <(readelf -l "$TT_SMI") || skip "not linked statically"
	machine -b p150a -w dev=0,dram=1G
	LC_ALL=C.UTF-8 once
	grep -q '°C' "$WORK/out"
	not opened 'ld\.so|libc\.so|locale|gconv|nsswitch'
	printf 'h\344\270\255\0' >"$(file "$D/proc/1001/cmdline")"
	LC_ALL=C.UTF-8 once
	opened 'LC_CTYPE|locale-archive'
}
