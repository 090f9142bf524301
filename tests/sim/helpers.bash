# Common to the tests of tt_smi-sim. TT_SMI_SIM is the path of the program; CTest sets it.

load ../common

HERE=$BATS_TEST_DIRNAME
TT_SMI_SIM=${TT_SMI_SIM:-$HERE/../../build/tt_smi-sim}
export LC_ALL=C

# start [OPTIONS]: starts tt_smi-sim in the background at $D; returns when the tree is complete.
start() {
	"$TT_SMI_SIM" "$@" "$D" 3>&- &
	SIM=$!
	eventually test -s "$D/simulated"
}

# Ends the tt_smi-sim that start() has started, and gets its exit status.
stop() {
	kill -"${1:-TERM}" "$SIM"
	status=0
	wait "$SIM" || status=$?
	SIM=
}

# read_file PATH: prints the text of a file, or "open:" or "read:" and the name of the error.
read_file() {
	local call=open text
	if text=$( (exec <"$1") 2>&1) && call=read && text=$(cat "$1" 2>&1); then
		printf '%s\n' "$text"
		return
	fi
	case $text in
	*'Permission denied') echo $call:EACCES ;;
	*'Input/output error') echo $call:EIO ;;
	*'No data available') echo $call:ENODATA ;;
	*) echo "$call:$text" ;;
	esac
}

has_open() { # PID PATH
	readlink "/proc/$1"/fd/* 2>/dev/null | grep -qxF "$2"
}

no_mounts() {
	! grep -q " $WORK/" /proc/self/mounts
}

is_gone() {
	# A zombie that is not reaped yet has ended nevertheless.
	[ ! -e "/proc/$1" ] || grep -q '^State:.*Z' "/proc/$1/status"
}

workload_pids() {
	cat "$D"/proc/driver/tenstorrent/*/pids | sort -un
}

needs_root() {
	[ "$(id -u)" = 0 ] || skip "only root can become another user"
}
