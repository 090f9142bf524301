#!/usr/bin/env bats
# Running and ending.

load helpers

ended_cleanly() {
	[ ! -e "$D" ]
	no_mounts
	local p
	for p in $PIDS; do
		eventually is_gone "$p"
	done
}

@test "SIGTERM, SIGINT and SIGHUP end it and leave nothing behind" {
	local s
	for s in TERM INT HUP; do
		start
		PIDS=$(workload_pids)
		[ "$(wc -w <<<"$PIDS")" = 5 ]
		stop $s
		[ "$status" = 0 ]
		ended_cleanly
	done
}

@test "SIGKILL leaves nothing behind, either" {
	start
	PIDS=$(workload_pids)
	stop KILL
	eventually test ! -e "$D"
	ended_cleanly
}

@test "SIGKILL ends the command as well" {
	"$TT_SMI_SIM" "$D" -- sh -c 'echo $$ >"$0"; exec sleep 60' "$WORK/pid" 3>&- &
	SIM=$!
	eventually test -s "$WORK/pid"
	PIDS="$(workload_pids) $(cat "$WORK/pid")"
	stop KILL
	eventually test ! -e "$D"
	ended_cleanly
}

# A machine with a mount, a reader of it that hangs, and a process with its working directory there.
start_busy() {
	needs_fuse
	start --fault hang:0/tt_serial
	PIDS=$(workload_pids)
	cat "$(class 0)/tt_serial" 3>&- 2>/dev/null &
	READER=$!
	(cd "$D/sys" && exec sleep 60) 3>&- &
	SITTER=$!
	eventually has_open "$READER" "$(realpath "$(class 0)/tt_serial")"
	eventually test "/proc/$SITTER/cwd" -ef "$D/sys"
}

@test "SIGKILL with a mount, a hung reader and a busy directory leaves nothing behind" {
	start_busy
	stop KILL
	eventually test ! -e "$D"
	ended_cleanly
	eventually is_gone $READER
	kill $SITTER
}

@test "its end with a mount, a hung reader and a busy directory leaves nothing behind" {
	start_busy
	stop
	[ "$status" = 0 ]
	ended_cleanly
	eventually is_gone $READER
	kill $SITTER
}

@test "the command's status is tt_smi-sim's, and its root is in the environment" {
	run "$TT_SMI_SIM" -- true
	[ "$status" = 0 ]
	run "$TT_SMI_SIM" -- sh -c 'cat "$TT_SMI_ROOT/sys/module/tenstorrent/version"; echo $TT_SMI_ROOT >&2; exit 7'
	[ "$status" = 7 ]
	[ "${lines[0]}" = 2.10.1 ]
	[ ! -e "${lines[1]}" ]
	run "$TT_SMI_SIM" -- sh -c 'kill -KILL $$'
	[ "$status" = 137 ]
	status=0
	"$TT_SMI_SIM" -- /nonexistent 2>/dev/null || status=$?
	[ "$status" = 127 ]
	run "$TT_SMI_SIM" -- /etc/passwd
	[ "$status" = 126 ]
	run "$TT_SMI_SIM" "$D" -- sh -c 'test "$TT_SMI_ROOT" = "$0"' "$D"
	[ "$status" = 0 ]
	[ ! -e "$D" ]
}

@test "the command gets limits, umask and signals as tt_smi-sim had them" {
	(umask 027 && ulimit -Sn 300 && "$TT_SMI_SIM" -- sh -c 'umask; ulimit -n; grep SigBlk /proc/self/status') >"$WORK/out"
	[ "$(cat "$WORK/out")" = $'0027\n300\nSigBlk:\t0000000000000000' ]
}

@test "signals are passed on to the command" {
	"$TT_SMI_SIM" "$D" -- sh -c 'trap "echo got it; exit 3" TERM; echo >"$0"; while :; do sleep 0.05; done' \
		"$WORK/ready" >"$WORK/out" 3>&- &
	SIM=$!
	eventually test -s "$WORK/ready"
	stop TERM
	[ "$status" = 3 ]
	[ "$(cat "$WORK/out")" = "got it" ]
	[ ! -e "$D" ]
}

@test "Ctrl-C on a terminal reaches the command once, and tt_smi-sim waits for it" {
	python3 "$HERE/terminal.py" "$TT_SMI_SIM"
}

@test "an existing directory stays, with the files of others" {
	mkdir "$D"
	start --no-workloads
	echo hello >"$D/mine"
	stop
	[ "$status" = 0 ]
	[ "$(ls -A "$D")" = mine ]
}

@test "files are rewritten in place" {
	start -b p150a --no-workloads --load 50
	python3 - "$(class 0)/tt_heartbeat" <<'P'
import os, sys, time
fd = os.open(sys.argv[1], os.O_RDONLY)
before = int(os.pread(fd, 64, 0))
inode = os.fstat(fd).st_ino
end = time.monotonic() + 300
while int(os.pread(fd, 64, 0)) < before + 10:
    assert time.monotonic() < end
    time.sleep(0.05)
assert os.stat(sys.argv[1]).st_ino == inode == os.fstat(fd).st_ino
P
}

@test "counters advance" {
	start -b p150a --no-workloads --load 100
	local f before
	f="$(class 0)/pcie_perf_counters/mst_posted_wr_data_word_sent0"
	before=$(cat "$f")
	advanced() { [ "$(cat "$f")" -gt "$before" ]; }
	eventually advanced
}

@test "a busy card has more heat, clock and power than an idle one, within its limits" {
	"$TT_SMI_SIM" --static -b n150,p150a,p300c --load 0 "$WORK/idle"
	"$TT_SMI_SIM" --static -b n150,p150a,p300c --load 100 "$WORK/busy"
	local n f h idle busy max
	for n in 0 1 2 3; do
		for f in temp1 power1 curr1 in0; do
			h="sys/class/hwmon/hwmon$n/$f"
			idle=$(cat "$WORK/idle/${h}_input")
			busy=$(cat "$WORK/busy/${h}_input")
			max=$(cat "$WORK/busy/${h}_max")
			echo "$n $f $idle $busy $max"
			[ "$idle" -lt "$busy" ]
			[ "$busy" -le "$max" ]
		done
	done
	[ "$(cat "$WORK/idle/sys/class/tenstorrent/tenstorrent!1/tt_aiclk")" = 800 ]
	[ "$(cat "$WORK/busy/sys/class/tenstorrent/tenstorrent!1/tt_aiclk")" = 1350 ]
}

@test "workloads are real processes that hold their devices" {
	start -b n150,p150a -w 'dev=0+1,dram=1G,name=/opt/python3,args=serve.py --port 8000' -w dev=1,via=none,name=shell
	local pids first second
	[ "$(wc -l <"$D/proc/driver/tenstorrent/0/pids")" = 2 ]
	[ "$(wc -l <"$D/proc/driver/tenstorrent/1/pids")" = 3 ]
	second=$(head -1 "$D/proc/driver/tenstorrent/1/pids") # newest first
	first=$(tail -1 "$D/proc/driver/tenstorrent/1/pids")
	[ "$(cat "$D/proc/$first/comm")" = python3 ]
	[ "$(tr '\0' ' ' <"$D/proc/$first/cmdline")" = "/opt/python3 serve.py --port 8000 " ]
	[ "$(cat "$D/proc/$second/comm")" = shell ]
	[ "$(readlink "/proc/$first/fd"/* | grep -c "$D/dev/tenstorrent/")" = 4 ]
	[ "$(readlink "/proc/$second/fd"/* | grep -c "$D/dev/tenstorrent/")" = 1 ]
	grep -q "$D/dev/tenstorrent/1" "/proc/$first/maps"
	[ "$(cat "$D/sys/module/tenstorrent/refcnt")" = 5 ]
	[ "$(grep -c OPEN_FD "$D/sys/kernel/debug/tenstorrent/1/mappings")" = 3 ]
	kill -KILL "$second"
	eventually test ! -L "$D/proc/$second"
	[ "$(wc -l <"$D/proc/driver/tenstorrent/1/pids")" = 2 ]
}

@test "a graceful end frees the memory, a killed process leaves its slot" {
	start -b n150 -w dev=0,dram=1M -w dev=0,dram=2M,name=victim --fault kill:1@1000
	run python3 "$HERE/shm.py" memory "$D" 0
	echo "$output"
	[ "${lines[0]}" = "version 3 processes 2 references 2 device 0" ]
	[ "${lines[1]}" = "total 3145728 0 0 0 0" ]
	local victim
	victim=$(head -1 "$D/proc/driver/tenstorrent/0/pids") # newest first
	kill "$(tail -1 "$D/proc/driver/tenstorrent/0/pids")"
	next_fault
	eventually is_gone "$victim"
	eventually test ! -s "$D/proc/driver/tenstorrent/0/pids"
	run python3 "$HERE/shm.py" memory "$D" 0
	echo "$output"
	[ "${lines[0]}" = "version 3 processes 1 references 1 device 0" ]
	[ "${lines[1]}" = "total 2097152 0 0 0 0" ]
	[ "${lines[3]}" = "$victim victim 2097152 0 0 0 0" ]
}

@test "a leak grows, a workload restarts" {
	start -b n150 -w dev=0,dram=1M,leak=10M -w dev=0,via=none,life=0.4,again=0.4
	local before after
	before=$(python3 "$HERE/shm.py" memory "$D" 0 | sed -n 's/total \([0-9]*\).*/\1/p')
	eventually eval '[ "$(wc -l <"$D/proc/driver/tenstorrent/0/pids")" = 2 ]'
	eventually eval '[ "$(wc -l <"$D/proc/driver/tenstorrent/0/pids")" = 3 ]'
	after=$(python3 "$HERE/shm.py" memory "$D" 0 | sed -n 's/total \([0-9]*\).*/\1/p')
	[ "$after" -gt $((before + 2000000)) ]
}

@test "a util file is updated" {
	start -b n150 -w dev=0,util=250
	python3 - "$D" <<'P'
import glob, struct, sys, time
path = glob.glob(sys.argv[1] + "/dev/shm/*_util")[0]
seen = set()
end = time.monotonic() + 300
while len(seen) < 5:
    update = struct.unpack_from("<Q", open(path, "rb").read(), 32)[0]
    assert update <= time.monotonic() * 1e6 and time.monotonic() < end
    seen.add(update)
    time.sleep(0.05)
P
}

@test "sixty-four devices run" {
	run "$TT_SMI_SIM" -b 64xp150a -- sh -c 'ls "$TT_SMI_ROOT/sys/class/hwmon" | wc -l'
	[ "$output" = 64 ]
}

@test "an ordinary user can run it" {
	needs_root
	chmod 755 "$WORK"
	cp "$TT_SMI_SIM" "$(dirname "$TT_SMI_SIM")"/{tt_smi,lib*.so} "$WORK"
	mkdir -m 777 "$WORK/open"
	run env -u TMPDIR setpriv --reuid=65534 --regid=65534 --clear-groups "$WORK/tt_smi-sim" "$WORK/open/sim" -- \
		sh -c 'f="$TT_SMI_ROOT/sys/class/tenstorrent/tenstorrent!1/tt_heartbeat"; a=$(cat "$f")
			for i in $(seq 600); do sleep 0.1; test "$(cat "$f")" -gt "$a" && break; done
			wc -l <"$TT_SMI_ROOT/proc/driver/tenstorrent/0/pids"
			tt_smi --query-gpu=utilization.bound -i 1 --format=csv,noheader 2>/dev/null
			test "$(cat "$f")" -gt "$a"'
	echo "$output"
	[ "$status" = 0 ]
	[ "$output" = $'5\nlower' ]
	[ ! -e "$WORK/open/sim" ]
}
