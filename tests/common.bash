# Common to all bats tests: a work directory, waiting for conditions, ending processes.

# In memory: a disk takes seconds for the files of a big machine. scripts/check gives its tests
# a directory of their own in /dev/shm and in /tmp, whose name is TT_TEST_RUN.
make_work() {
	WORK=$(mktemp -d -p "/dev/shm/${TT_TEST_RUN:-}")
	D=$WORK/sim
	SIM=
	STARTED=
}

# Ends what a test has started: by pid, never by name. SIGCONT comes first: later, it would discard
# the SIGSTOP by which LeakSanitizer attaches to a program that ends, and both would wait for ever.
clean_up() {
	local p
	for p in $SIM $STARTED; do
		kill -CONT "$p" 2>/dev/null || true
		kill "$p" 2>/dev/null || true
		wait "$p" 2>/dev/null || true
	done
	for p in $(seq 1000); do
		[ -e "$D" ] || break
		rm -rf --one-file-system "$D" 2>/dev/null && break
		chmod -R u+rwx "$D" 2>/dev/null || true
		sleep 0.05
	done
	chmod -R u+rwx "$WORK" 2>/dev/null || true
	rm -rf --one-file-system "$WORK"
}

# remove TREE: makes its directories writable first; on a real machine they are not.
remove() {
	chmod -R u+rwx "$1"
	rm -rf --one-file-system "$1"
}

setup() {
	make_work
}

teardown() {
	clean_up
}

# eventually COMMAND...: repeats a command until it succeeds. The limit only ends a test that hangs. Most conditions
# are soon true; the longer ones are examined less often, which leaves the processor to the program.
eventually() {
	local i pause=0.02
	for i in $(seq 3000); do
		"$@" && return 0
		[ "$i" -lt 5 ] || pause=0.1
		sleep "$pause"
	done
	echo "not within five minutes: $*" >&2
	if declare -F screen >/dev/null; then screen >&2 || true; fi
	return 1
}

# Makes the next fault of $SIM begin or end now.
next_fault() {
	kill -USR1 "$SIM"
}

# "!" alone would not fail a test.
not() {
	! "$@"
}

# Directory of a device.
class() {
	echo "$D/sys/class/tenstorrent/tenstorrent!$1"
}

needs_fuse() {
	local r=0
	"$TT_SMI_SIM" -b n150 --no-workloads --fault eio:0/tt_aiclk -- true 3>&- 2>/dev/null || r=$?
	if [ "$r" = 3 ]; then
		skip "no FUSE here: not built with libfuse3, or user $(id -u) cannot mount"
	fi
}
