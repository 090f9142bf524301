#!/usr/bin/env bats
# Loops, also into pipes, while devices of the machine change, fail and return.

load helpers
load machines

follow() {
	SIM=$SIM python3 "$HERE/follow.py" "$@" 3>&-
}

@test "-l, -lms and -w into a pipe: one block per sample, and no control characters" {
	make_machine n300
	smi --ascii >"$WORK/one"
	local o
	for o in '-l 0.02' '-lms 20' '-w -r 100'; do
		smi --ascii $o -n 3 >"$WORK/out"
		cat "$WORK/one" "$WORK/one" "$WORK/one" >"$WORK/three"
		# Only rates may differ.
		[ "$(grep -c '^| tt-smi' "$WORK/out")" = 3 ]
		[ "$(wc -l <"$WORK/out")" = "$(wc -l <"$WORK/three")" ]
		not grep -q -P '[\x00-\x09\x0b-\x1f]' "$WORK/out"
	done
	smi -L -lms 20 -n 4 | uniq -c | grep -q '^ *1 '
	[ "$(smi -L -lms 20 -n 4 | wc -l)" = 8 ]
	[ "$(smi -q -lms 20 -n 2 | grep -c TTSMI)" = 2 ]
}

@test "-n 1 is one sample" {
	make_machine n150
	[ "$(smi -L -l 60 -n 1 | wc -l)" = 1 ]
	[ "$(smi --ascii -w -n 1 | grep -c '^| tt-smi')" = 1 ]
}

@test "-l without a number is five seconds, -lms one: the first sample comes at once" {
	make_machine n150
	spawn -L -l >"$WORK/out"
	eventually test -s "$WORK/out"
	kill "$STARTED"
	wait "$STARTED" || true
	spawn -L -lms >"$WORK/out2"
	eventually test -s "$WORK/out2"
}

@test "CSV in a loop has one header" {
	make_machine p150a-two
	smi --query-gpu=index,name -lms 20 -n 3 >"$WORK/out" 2>/dev/null
	[ "$(cat "$WORK/out")" = $'index, name\n0, Blackhole\n1, Blackhole\n0, Blackhole\n1, Blackhole\n0, Blackhole\n1, Blackhole' ]
	smi --query-gpu=index --format=csv,noheader -lms 20 -n 2 >"$WORK/out" 2>/dev/null
	[ "$(cat "$WORK/out")" = $'0\n1\n0\n1' ]
}

@test "JSON in a loop is a document per line, pretty or not" {
	make_machine galaxy-blackhole
	smi --json -lms 20 -n 5 >"$WORK/out"
	[ "$(wc -l <"$WORK/out")" = 5 ]
	while IFS= read -r line; do
		jq -e '.devices | length == 32' <<<"$line"
	done <"$WORK/out"
	python3 "$HERE/check_json.py" "$WORK/out=$D"
}

@test "each sample is written when it is taken, not when a buffer is full" {
	make_machine n150
	spawn --json -lms 100 >"$WORK/out"
	eventually test -s "$WORK/out"
	[ "$(tail -c 2 "$WORK/out")" = "}" ]
}

@test "-f in a loop: one block per sample in the file" {
	make_machine n150
	smi -L -lms 20 -n 3 -f "$WORK/file"
	[ "$(wc -l <"$WORK/file")" = 3 ]
}

@test "-f in a loop appends, with one header per file" {
	make_machine n150
	local csv=$'index, name\n0, Wormhole_B0'
	smi --query-gpu=index,name -lms 20 -n 2 -f "$WORK/file" 2>/dev/null
	[ "$(cat "$WORK/file")" = "$csv"$'\n0, Wormhole_B0' ]
	smi --query-gpu=index,name -lms 20 -n 1 -f "$WORK/file" 2>/dev/null
	[ "$(cat "$WORK/file")" = "$csv"$'\n0, Wormhole_B0\n0, Wormhole_B0' ]
	# An existing empty file gets its header.
	: >"$WORK/empty"
	smi --query-gpu=index,name -lms 20 -n 1 -f "$WORK/empty" 2>/dev/null
	[ "$(cat "$WORK/empty")" = "$csv" ]
	# A single sample replaces the file.
	smi --query-gpu=index -f "$WORK/file" 2>/dev/null
	[ "$(cat "$WORK/file")" = $'index\n0' ]
}

# grown FILE: the file has lines, and the last one is complete.
grown() {
	[ -s "$1" ] && [ "$(tail -n 1 "$1")" = "0, Wormhole_B0" ]
}

@test "a log that is moved away is followed, without a signal and with SIGHUP" {
	make_machine n150
	spawn --query-gpu=index,name -lms 20 -f "$WORK/log" 2>/dev/null
	eventually grown "$WORK/log"
	mv "$WORK/log" "$WORK/log.1"
	eventually grown "$WORK/log"
	[ "$(head -n 1 "$WORK/log")" = "index, name" ]
	# Nothing is written to the old one any more.
	local lines
	lines=$(wc -l <"$WORK/log.1")
	mv "$WORK/log" "$WORK/log.2"
	kill -HUP "$STARTED"
	eventually grown "$WORK/log"
	[ "$(wc -l <"$WORK/log.1")" = "$lines" ]
	[ "$(cat "$WORK"/log* | grep -c '^index, name$')" = 3 ]
	[ "$(cat "$WORK"/log* | sort -u | wc -l)" = 2 ]
	# SIGHUP alone changes nothing.
	kill -HUP "$STARTED"
	lines=$(wc -l <"$WORK/log")
	more() { [ "$(wc -l <"$WORK/log")" -gt $((lines + 2)) ]; }
	eventually more
	[ "$(grep -c '^index' "$WORK/log")" = 1 ]
}

@test "a log that is truncated continues at its start, with a header" {
	make_machine n150
	spawn --query-gpu=index,name -lms 20 -f "$WORK/log" 2>/dev/null
	eventually grown "$WORK/log"
	cp "$WORK/log" "$WORK/log.1"
	: >"$WORK/log"
	eventually grown "$WORK/log"
	not grep -q -P '\x00' "$WORK/log"
	[ "$(head -n 1 "$WORK/log")" = "index, name" ]
	[ "$(sort -u "$WORK/log" | wc -l)" = 2 ]
}

@test "logrotate with the installed example, and with copytruncate" {
	command -v logrotate >/dev/null || skip "no logrotate here"
	make_machine n150
	local how
	for how in create copytruncate; do
		mkdir "$WORK/$how"
		sed "s|/var/log/tt_smi.csv|$WORK/$how/log|; s/create 0640/$how/" "$HERE/../../examples/logrotate.conf" \
			>"$WORK/$how.conf"
		grep -q "$WORK/$how/log" "$WORK/$how.conf"
		chmod 644 "$WORK/$how.conf"
		spawn --query-gpu=index,name -lms 20 -f "$WORK/$how/log" 2>/dev/null
		eventually grown "$WORK/$how/log"
		logrotate --force --state "$WORK/state" "$WORK/$how.conf"
		eventually test -s "$WORK/$how/log.1"
		eventually grown "$WORK/$how/log"
		kill "$STARTED"
		wait "$STARTED" || true
		not grep -q -P '\x00' "$WORK/$how/log"
		[ "$(cat "$WORK/$how"/log* | sort -u | wc -l)" = 2 ]
	done
}

@test "a log that cannot be created again: reported once, and the old one gets the samples" {
	make_machine n150
	mkdir "$WORK/dir"
	spawn -L -lms 20 -f "$WORK/dir/log" 2>"$WORK/err"
	eventually test -s "$WORK/dir/log"
	mv "$WORK/dir" "$WORK/moved"
	local lines
	lines=$(wc -l <"$WORK/moved/log")
	more() { [ "$(wc -l <"$WORK/moved/log")" -gt $((lines + 5)) ]; }
	eventually more
	[ "$(grep -c "cannot write $WORK/dir/log: No such file or directory" "$WORK/err")" = 1 ]
	mkdir "$WORK/dir"
	eventually test -s "$WORK/dir/log"
}

@test "a link in a sticky directory is not followed" {
	make_machine n150
	mkdir "$WORK/sticky"
	chmod 1777 "$WORK/sticky"
	echo precious >"$WORK/file"
	ln -s "$WORK/file" "$WORK/sticky/log"
	expect_error 74 "cannot write $WORK/sticky/log: $WORK/sticky/log is a symbolic link" -L -lms 20 -n 1 -f "$WORK/sticky/log"
	[ "$(cat "$WORK/file")" = precious ]
	# A single sample replaces the link itself.
	smi -L -f "$WORK/sticky/log"
	[ ! -L "$WORK/sticky/log" ]
	[ "$(cat "$WORK/file")" = precious ]
	# Elsewhere links are followed.
	ln -s "$WORK/file" "$WORK/link"
	smi -L -lms 20 -n 1 -f "$WORK/link"
	[ "$(wc -l <"$WORK/file")" = 2 ]
}

@test "a link of another user before the end of the path is not followed either" {
	[ "$(id -u)" = 0 ] || skip "only root can make links of another user"
	make_machine n150
	mkdir "$WORK/sticky" "$WORK/victim"
	local mode often
	for mode in 1777 1775; do # the kernel protects links in the first only
		chmod $mode "$WORK/sticky"
		ln -sfn "$WORK/victim" "$WORK/sticky/dir"
		chown -h 1 "$WORK/sticky/dir"
		for often in '-lms 20 -n 1' ''; do
			expect_error 74 "cannot write $WORK/sticky/dir/log: $WORK/sticky/dir is a symbolic link" \
				-L $often -f "$WORK/sticky/dir/log"
		done
		[ -z "$(ls "$WORK/victim")" ]
	done
	# A loop continues with its file if such a link takes the place of its directory.
	rm "$WORK/sticky/dir"
	mkdir "$WORK/sticky/dir"
	spawn -L -lms 20 -f "$WORK/sticky/dir/log" 2>"$WORK/err"
	eventually test -s "$WORK/sticky/dir/log"
	ln -s "$WORK/victim" "$WORK/sticky/link"
	chown -h 1 "$WORK/sticky/link"
	mv "$WORK/sticky/dir" "$WORK/old"
	mv "$WORK/sticky/link" "$WORK/sticky/dir" # never there with our own user as its owner
	eventually test -s "$WORK/err" # once, whether a sample sees the link or its absence first
	local lines
	lines=$(wc -l <"$WORK/old/log")
	more() { [ "$(wc -l <"$WORK/old/log")" -gt $((lines + 5)) ]; }
	eventually more
	[ -z "$(ls "$WORK/victim")" ]
	# The link of its own user leads to another directory.
	ln -sfn "$WORK/victim" "$WORK/sticky/dir"
	eventually test -s "$WORK/victim/log"
}

@test "SIGINT and SIGTERM end a loop in a pipe like any program" {
	make_machine n150
	local s
	for s in INT TERM; do
		python3 - $s "$TT_SMI" --root "$D" -L -lms 50 3>&- <<'P'
import signal, subprocess, sys
number = getattr(signal, "SIG" + sys.argv[1])
# A shell's background job would ignore SIGINT.
program = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE,
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
program.stdout.readline()
program.send_signal(number)
program.stdout.read()
assert program.wait() == -number, program.returncode
P
	done
}

@test "PCIe rates: both NoCs, the right direction, the right unit, through a wrap" {
	# Not a recorded machine, since rates need time to pass. Only this test changes counters.
	"$TT_SMI_SIM" --static --seed 7 -b n150,p150a --no-workloads "$D" 3>&-
	chmod -R u+w "$D"
	python3 - "$D" "$TT_SMI" 3>&- <<'P'
import datetime, json, subprocess, sys
root, program = sys.argv[1:]
# Flits per counter, for NoC 0 and 1: all different powers of two, so that a sum shows which counters are part of it.
INTO = {"mst_posted_wr_data_word_sent": (1, 2), "mst_nonposted_wr_data_word_sent": (4, 8),
        "slv_rd_data_word_sent": (16, 32)}
OUT = {"slv_posted_wr_data_word_received": (64, 128), "slv_nonposted_wr_data_word_received": (256, 512),
       "mst_rd_data_word_received": (1024, 2048)}
UNIT = 20000  # small enough that the link can carry it even between samples in quick succession

def write(index, name, value):
    path = f"{root}/sys/class/tenstorrent/tenstorrent!{index}/pcie_perf_counters/{name}"
    with open(path, "r+b", buffering=0) as file:
        file.write(b"%010d\n" % (value % 2**32))  # one write of constant length

counters = {**INTO, **OUT}
start = 2**32 - 10 * UNIT  # the larger ones wrap

def write_all(moved):
    for index in 0, 1:
        for name, parts in counters.items():
            for noc in 0, 1:
                write(index, f"{name}{noc}", start + moved * parts[noc] * UNIT)

def take():
    """Samples, between the first two of which the counters move."""
    write_all(0)
    loop = subprocess.Popen([program, "--root", root, "--json", "-lms", "500", "-n", "6"], stdout=subprocess.PIPE)
    samples = [json.loads(loop.stdout.readline())]
    write_all(1)
    samples += [json.loads(line) for line in loop.stdout]
    assert loop.wait() == 0 and len(samples) == 6
    return samples

def check(samples, index, flit):
    first = samples[0]["devices"][index]
    assert first["pci"]["rx_rate"] is None and first["pci"]["tx_rate"] is None
    assert first["unavailable"]["pci.rx_rate"] == "needs_two_samples"
    moved = {"rx_rate": 0, "tx_rate": 0}
    for before, now in zip(samples, samples[1:]):
        times = [datetime.datetime.fromisoformat(s["timestamp"][:-1]) for s in (before, now)]
        for key in moved:
            rate = now["devices"][index]["pci"][key]
            assert rate is not None and rate >= 0
            moved[key] += rate * (times[1] - times[0]).total_seconds()
    for key, parts in ("rx_rate", INTO), ("tx_rate", OUT):
        want = flit * UNIT * sum(map(sum, parts.values()))
        print(index, key, moved[key] / want)
        # The tolerance is for the timing of samples; a wrong unit or direction would be off by far more.
        assert 0.7 < moved[key] / want < 1.4, (index, key, moved[key], want)
    # Both rates are over the same time, so their ratio is exact unless a counter is missing or wrong.
    parts = [sum(map(sum, way.values())) for way in (INTO, OUT)]
    assert abs(moved["rx_rate"] / moved["tx_rate"] / (parts[0] / parts[1]) - 1) < 0.01, moved

subprocess.run(["chmod", "-R", "u+w", root + "/sys"], check=True)
# One attempt may fail if the machine stalls between two readings. A defect makes all of them fail.
for attempt in range(10):
    samples = take()
    try:
        check(samples, 0, 32)
        check(samples, 1, 64)
        break
    except AssertionError as e:
        error = e
else:
    raise error
P
}

@test "a card that is removed and returns between two samples" {
	"$TT_SMI_SIM" --static --seed 7 -b n150,p150a --no-workloads "$D" 3>&-
	chmod -R u+w "$D"
	python3 - "$D" "$TT_SMI" 3>&- <<'P'
import json, os, subprocess, sys
root, program = sys.argv[1:]
link = f"{root}/sys/class/tenstorrent/tenstorrent!1"
loop = subprocess.Popen([program, "--root", root, "--json", "-lms", "100"], stdout=subprocess.PIPE)

def until(condition):
    for line in loop.stdout:
        doc = json.loads(line)
        if condition(doc["devices"][1]):
            return doc
    sys.exit("ended")

try:
    first = until(lambda d: d["state"] == "ok")["devices"][1]
    os.rename(link, link + ".gone")
    doc = until(lambda d: d["state"] == "lost")
    d = doc["devices"][1]
    # It is reported as lost; none of its readings is shown.
    assert d["temperature"] is None and d["power"] is None and d["clocks"]["ai"] is None
    assert d["unavailable"]["temperature"] == "gone", d["unavailable"]
    assert d["board"] == first["board"] and doc["devices"][0]["state"] == "ok"
    os.rename(link + ".gone", link)
    d = until(lambda d: d["state"] == "ok")["devices"][1]
    assert d["temperature"] == first["temperature"] and d["serial"] == first["serial"]
finally:
    loop.kill()
    loop.wait()
P
}

@test "removal and return as the driver does them" {
	needs_fuse
	start -b p150a,n150 --no-workloads --fault gone:0@1000-2000
	follow 'd["state"] == "ok" and d["temperature"]' next \
		'd["state"] == "lost" and d["temperature"] is None and d["memory"]["used"] is None and doc["devices"][1]["state"] != "lost"' next \
		'd["state"] == "ok" and d["temperature"]' \
		'd["pci"]["rx_rate"] is not None and d["heartbeat"]["alive"]' -- "$TT_SMI" --root "$D" --json -lms 100
}

@test "a card that is unbound and bound again keeps its number" {
	start -b p150a,n150 --no-workloads --fault unbound:0@1000-2000 --fault vfio:0@2000-3000
	follow 'd["state"] == "ok" and d["temperature"]' next \
		'd["id"] == 0 and d["state"] == "no driver" and d["temperature"] is None and len(doc["devices"]) == 2' next \
		'd["id"] == 0 and d["health"] == "bound to vfio-pci" and doc["devices"][1]["state"] == "ok"' next \
		'd["state"] == "ok" and d["temperature"]' -- "$TT_SMI" --root "$D" --json -lms 100
}

@test "a card without a driver has a row until it is served" {
	start -b n150,p150a --no-workloads --fault unbound:1@0-1000
	follow 'd["state"] == "ok" and doc["devices"][1]["id"] == "0000:02:00.0"' next \
		'doc["devices"][1]["id"] == 1 and doc["devices"][1]["state"] == "ok" and len(doc["devices"]) == 2' \
		-- "$TT_SMI" --root "$D" --json -lms 100
}

@test "the last card disappears: reported, waited for, and shown again" {
	needs_fuse
	start -b p150a --no-workloads --fault gone:0@1000-2000
	follow 'd["state"] == "ok"' next 'd["state"] == "lost"' next 'd["state"] == "ok"' -- "$TT_SMI" --root "$D" --json -lms 100
}

@test "a loop reports a problem once, and again after a recovery" {
	make_machine n150
	local m
	for m in "-L -lms 100" "mem --json -r 100"; do
		if [[ $m = mem* ]]; then
			"$TT_SMI" $m --root "$D" >"$WORK/out" 2>"$WORK/err" 3>&- &
		else
			"$TT_SMI" --root "$D" $m >"$WORK/out" 2>"$WORK/err" 3>&- &
		fi
		STARTED=$!
		eventually test -s "$WORK/out"
		mv "$D/sys" "$D/away"
		eventually grep -q 'driver is not loaded' "$WORK/err"
		sleep 1 # in which it would say so ten times
		[ "$(wc -l <"$WORK/err")" = 1 ]
		: >"$WORK/out"
		mv "$D/away" "$D/sys"
		eventually test -s "$WORK/out"
		mv "$D/sys" "$D/away"
		eventually eval '[ "$(wc -l <"$WORK/err")" -ge 2 ]'
		mv "$D/away" "$D/sys"
		kill "$STARTED"
		wait "$STARTED" || true
	done
}

@test "a loop that ends with a problem has its exit code" {
	make_machine n150
	local m samples
	for m in "-L -lms 100" "mem --json -r 100"; do
		for samples in 20 200 2000; do # more if it ended before the driver disappeared
			"$TT_SMI" $m --root "$D" -n $samples >"$WORK/out" 2>"$WORK/err" 3>&- &
			STARTED=$!
			eventually test -s "$WORK/out"
			mv "$D/sys" "$D/away"
			code=0
			wait "$STARTED" || code=$?
			mv "$D/away" "$D/sys"
			[ ! -s "$WORK/err" ] || break
		done
		grep 'driver is not loaded' "$WORK/err"
		[ $code = 9 ]
	done
}

@test "a reset: no reading while it lasts, and afterwards no rate from before it" {
	needs_fuse
	start -b p150a,n150 --no-workloads --fault reset:0@1000-2000
	follow 'd["state"] == "ok" and d["pci"]["rx_rate"] is not None' next \
		'd["state"] == "resetting" and d["temperature"] is None and d["unavailable"]["temperature"] == "resetting" and
		 doc["devices"][1]["state"] != "resetting"' next \
		'd["state"] == "ok" and d["temperature"]' \
		'd["pci"]["rx_rate"] is not None' -- "$TT_SMI" --root "$D" --json -lms 100
}

@test "a chip that dies: all ones are never shown as a reading" {
	start -b p150a,n150 --no-workloads --fault dead:0@1000
	spawn --json -lms 100 >"$WORK/out" 2>&1
	eventually test -s "$WORK/out"
	next_fault
	eventually grep -q 'not answering' "$WORK/out"
	kill "$STARTED"
	wait "$STARTED" || true
	sed -i '$ { /}$/!d }' "$WORK/out" # the last line may be incomplete
	python3 "$HERE/check_json.py" "$WORK/out"
	not grep -q -E '4294967|65535|FFFFFFFF|255\.255' "$WORK/out"
}

@test "hung firmware: its values do not change, its heartbeat shows it" {
	start -b p150a --no-workloads --fault frozen:0
	follow 'd["heartbeat"]["alive"] == False and d["health"] == "firmware not alive" and d["temperature"]' \
		-- "$TT_SMI" --root "$D" --json -lms 200
}

@test "telemetry that appears late is found" {
	start -b n150 --no-workloads --fault no-telemetry:0@0-1000
	follow 'd["state"] == "no telemetry" and d["temperature"] is None' next 'd["state"] == "ok" and d["temperature"]' \
		-- "$TT_SMI" --root "$D" --json -lms 100
}

@test "a killed workload is stale and not counted" {
	start -b n150 -w dev=0,dram=1G,name=stays -w dev=0,dram=2G,name=victim --fault kill:1@1000
	follow 'len(p) == 2 and d["memory"]["used"] == 3 << 30 and not d["leftovers"]' next \
		'len(p) == 1 and d["memory"]["used"] == 1 << 30 and
		 [(l["name"], l["dram"], l["reason"]) for l in d["leftovers"]] == [("victim", 2 << 30, "stale")]' \
		-- "$TT_SMI" --root "$D" --json -lms 100
	smi --ascii >"$WORK/out"
	grep -q 'victim .* 2.0GB .*Stale' "$WORK/out"
	grep -q '1.0GB/12.0GB' "$WORK/out"
}

@test "processes start, grow and exit" {
	start -b n150 -w dev=0,dram=1M,leak=20M,name=leaky -w dev=0,dram=5M,name=short,life=1,again=1
	follow 'len(p) == 2' 'len(p) == 1 and not d["leftovers"]' 'd["memory"]["used"] > 60 << 20' \
		-- "$TT_SMI" --root "$D" --json -lms 100
}

@test "a file of TT-Metal that appears or disappears during a loop is noticed" {
	local file
	make_machine n150
	file=$(metal_file 0)
	mv "$file" "$WORK/kept"
	shows() { tail -n 1 "$WORK/out" | grep -qxF "$1"; }
	spawn --query-compute-apps=pid,used_memory --format=csv,noheader,nounits -lms 50 >"$WORK/out"
	eventually shows '1001, [N/A]'
	sleep 0.3 # then the modification time of the directory is final
	mv "$WORK/kept" "$file"
	eventually shows '1001, 4096'
	mv "$file" "$WORK/kept"
	eventually shows '1001, [N/A]'
	mv "$WORK/kept" "$file"
	eventually shows '1001, 4096'
}

@test "the machine is killed in the middle: every line is complete, then the error" {
	start -b n300,p150a
	spawn --json -lms 50 >"$WORK/out" 2>"$WORK/err"
	eventually test -s "$WORK/out"
	stop KILL
	eventually grep -q 'driver is not loaded' "$WORK/err"
	kill -0 "$STARTED" # it waits for the machine to come back
	kill "$STARTED"
	wait "$STARTED" || true
	python3 - "$WORK/out" <<'P'
import json, sys
documents = [json.loads(line) for line in open(sys.argv[1])]
assert documents[0]["devices"][0]["state"] == "ok"
for document in documents:
    for device in document["devices"]:
        # Lost, or removed in the middle of a sample; never a reading of a removed device.
        if device["state"] in ("lost", "timed out"):
            assert device["temperature"] is None, device
P
	python3 "$HERE/check_json.py" "$WORK/out"
}

@test "the machine ends and another one replaces it: that one is shown" {
	mkdir "$D" # an existing directory stays when the machine ends
	start -b n150 --no-workloads
	spawn --query-gpu=board,serial --format=csv,noheader -lms 50 >"$WORK/out" 2>"$WORK/err"
	eventually grep -q '^n150' "$WORK/out"
	stop
	eventually grep -q 'driver is not loaded' "$WORK/err"
	start -b p150a --no-workloads
	eventually grep -q '^p150a' "$WORK/out"
}

# json CONDITION: one sample. On a busy machine any read through FUSE may time out, so it is repeated;
# the one that hangs times out each time.
json() {
	patiently "$TT_SMI" --root "$D" --json >"$WORK/out" 3>&-
	jq -e "$1" "$WORK/out"
}

# Whichever file hangs, in every mode only the row of that device is late.
@test "a file that blocks affects its row only, and not the exit" {
	needs_fuse
	start -b n150,p150a,n150 -w dev=0+1,dram=1G,name=job --fault hang:1/temp1_input
	local m
	for m in '' -q -L --json -s --query-gpu=index,temperature.gpu; do
		patiently "$TT_SMI" --root "$D" $m >"$WORK/out" 2>"$WORK/err" 3>&-
		[ -s "$WORK/out" ]
	done
	table() {
		COLUMNS=102 patiently "$TT_SMI" --root "$D" --ascii >"$WORK/out" 3>&-
		cat "$WORK/out"
		grep -q '^| 0   Wormhole_B0 n150   [0-9]*C .* 1.0GB/12.0GB' "$WORK/out" &&
			grep -q '^| 1 .* timed out' "$WORK/out" &&
			grep -q '^| 2   Wormhole_B0 n150   [0-9]*C ' "$WORK/out" &&
			grep -q '^| [0-9]* *job ' "$WORK/out"
	}
	eventually table
	eventually json '.devices[1].state == "timed out" and .devices[1].unavailable.temperature == "timed_out" and
		.devices[0].state == "ok" and .devices[2].temperature > 0'
	python3 "$HERE/check_json.py" "$WORK/out"
}

@test "a file that blocks in a loop costs one deadline, and its row returns when it responds" {
	needs_fuse
	start -b p150a,n150 --no-workloads --fault hang:0/temp1_input@0-1000
	follow 'd["state"] == "timed out" and doc["devices"][1]["state"] == "ok"' \
		'd["state"] == "timed out" and d["temperature"] is None and doc["devices"][1]["temperature"]' next \
		'd["state"] == "ok" and d["temperature"]' -- "$TT_SMI" --root "$D" --json -lms 100
}

@test "a pids file that blocks: holders are found by descriptors" {
	needs_fuse
	start -b n150,p150a -w dev=0,dram=1G,name=job --fault hang:0/pids
	eventually json '[.processes[] | .name] == ["job"] and .devices[0].temperature > 0'
	python3 "$HERE/check_json.py" "$WORK/out"
}

@test "a FIFO in place of any file neither blocks nor gives a value" {
	machine -b n150,p150a -w dev=0,dram=1G,name=job -w dev=1,dram=1G,name=other
	local f
	for f in "$(class 0)/tt_aiclk" "$(class 1)/device/hwmon/hwmon1/temp1_input" "$(class 0)/device/vendor" \
		"$(class 0)/pcie_perf_counters/slv_rd_data_word_sent0" "$D/sys/module/tenstorrent/version" \
		"$D/proc/driver/tenstorrent/0/pids" "$D/proc/1001/cmdline" "$D/proc/1002/stat" "$D/proc/1001/status" \
		"$D/proc/1001/cgroup" "$D/proc/1002/maps" "$D/proc/stat" "$D/etc/passwd" "$(metal_file 0)" "$D/captured_at"; do
		rm "$f"
		mkfifo "$f"
		patiently "$TT_SMI" --root "$D" --json >"$WORK/out" 3>&- || { echo "$f: $?"; return 1; }
		python3 "$HERE/check_json.py" "$WORK/out"
	done
	jq -e '.devices[1].temperature == null and .devices[0].clocks.ai == null and .devices[0].temperature > 0' "$WORK/out"
	patiently "$TT_SMI" --root "$D" >"$WORK/table" 3>&-
	python3 "$HERE/widths.py" "$WORK/table"
}

@test "hung reads in the kernel: the program ends" {
	needs_fuse
	start -b p150a,n150 --no-workloads --fault hang:0/tt_aiclk --fault hang:0/pids
	eventually json '.devices[0].state == "timed out" and .devices[1].state == "ok"'
	rows() {
		COLUMNS=102 patiently "$TT_SMI" --root "$D" --ascii -w -r 100 -n 3 >"$WORK/out" 3>&-
		[ "$(grep -c '^| 1   Wormhole_B0 n150   [0-9]' "$WORK/out")" = 3 ]
	}
	eventually rows
}

@test "a slow file is waited for, up to the deadline" {
	needs_fuse
	start -b p150a --no-workloads --fault slow:0/tt_serial=150
	waited() { [ "$(smi --query-gpu=state --format=csv,noheader 2>/dev/null)" = ok ]; }
	eventually waited
}
