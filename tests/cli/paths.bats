#!/usr/bin/env bats
# The system calls of tt_smi in a mount namespace, where the driver's files are at their true paths.

load helpers
load stage

@test "at the real paths, with holders, with and without the driver's list" {
	[ -z "${TT_INSTRUMENTED:-}" ] || skip "built with $TT_INSTRUMENTED, whose runtime makes system calls of its own"
	command -v strace >/dev/null || skip "no strace here"
	strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
	alone true 2>/dev/null || skip "no pid namespaces here for user $(id -u)"
	local v
	for v in 2.10.1 2.4.0; do
		# All processes are examined, and under strace so many as a machine has take longer than the deadline.
		alone "$HERE/stage.sh" "$D" "$TT_SMI_SIM" --driver $v -w dev=5,dram=1G -- bash -c '
			exec 8</dev/tenstorrent/5 9<>/dev/tenstorrent/7
			sleep 600 3>&- &
			trap "kill $!" EXIT
			[ ! -d /proc/driver/tenstorrent ] || echo $! | tee /proc/driver/tenstorrent/5/pids >/proc/driver/tenstorrent/7/pids
			for mode in "" --json -q -s "--query-compute-apps=pid,name" "--json -lms 20 -n 3"; do
				# strace makes reads slow, and one may time out: repeated.
				for try in $(seq 50); do
					strace -f -y -o "$1/trace" "$2" $mode 8<&- 9<&- >"$1/out" || exit 91
					grep -q -w $! "$1/out" && break
					[ $try -lt 50 ] || { cat "$1/out"; exit 92; }
				done
				python3 "$3/check_trace.py" "$1/trace" --server --sleep || exit 93
				case $mode in
				*lms*) ;;
				*) not_slept=$(grep -c nanosleep "$1/trace"); [ "$not_slept" = 0 ] || exit 94 ;;
				esac
			done' sh "$WORK" "$TT_SMI" "$HERE" 3>&-
	done
}
