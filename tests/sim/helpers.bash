# Common to the tests of ttsim. TTSIM names the program; CTest sets it.

HERE=$BATS_TEST_DIRNAME
TTSIM=${TTSIM:-$HERE/../../build/ttsim}

setup() {
	# In memory: a disk takes seconds for the files of a big machine.
	WORK=$(TMPDIR=${TMPDIR:-/dev/shm} mktemp -d)
	D=$WORK/sim
	SIM=
}

# Whatever a test has started is gone after it: by its number, never by name.
teardown() {
	if [ -n "$SIM" ] && kill "$SIM" 2>/dev/null; then
		wait "$SIM" 2>/dev/null || true
	fi
	local i
	for i in $(seq 100); do
		[ -e "$D" ] || break
		rm -rf --one-file-system "$D" 2>/dev/null && break
		sleep 0.05
	done
	rm -rf --one-file-system "$WORK"
}

# start [OPTIONS]: ttsim in the background below $D; returns when all is there.
start() {
	"$TTSIM" "$@" "$D" 3>&- &
	SIM=$!
	eventually test -s "$D/ttsim"
}

# Ends the ttsim that start() started and takes its status.
stop() {
	kill -"${1:-TERM}" "$SIM"
	status=0
	wait "$SIM" || status=$?
	SIM=
}

# eventually COMMAND...: waits up to five seconds until it succeeds.
eventually() {
	local i
	for i in $(seq 250); do
		"$@" && return 0
		sleep 0.02
	done
	echo "not within 5 s: $*" >&2
	return 1
}

not() {
	! "$@"
}

# Directory of a device.
class() {
	echo "$D/sys/class/tenstorrent/tenstorrent!$1"
}

# read_file PATH: its text, or the name of the error.
read_file() {
	python3 "$HERE/read.py" "$1"
}

no_mounts() {
	! grep -q " $WORK/" /proc/self/mounts
}

is_gone() {
	# A zombie that nobody reaps yet has ended all the same.
	[ ! -e "/proc/$1" ] || grep -q '^State:.*Z' "/proc/$1/status"
}

workload_pids() {
	cat "$D"/proc/driver/tenstorrent/*/pids | sort -un
}

needs_fuse() {
	local r=0
	"$TTSIM" -b n150 --no-workloads --fault eio:0/tt_aiclk -- true 3>&- 2>/dev/null || r=$?
	if [ "$r" = 3 ]; then
		skip "no FUSE here: /dev/fuse cannot be opened or mounted by user $(id -u)"
	fi
}

needs_root() {
	[ "$(id -u)" = 0 ] || skip "only root can become another user"
}
