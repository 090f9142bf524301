# Common to the tests of the program. TT_SMI and TT_SMI_SIM are the paths of the programs;
# CTest sets them. Time zone and locale are fixed, so that outputs do not depend on the
# machine.

load ../common

HERE=$BATS_TEST_DIRNAME
TT_SMI=${TT_SMI:-$HERE/../../build/tt_smi}
TT_SMI_SIM=${TT_SMI_SIM:-$HERE/../../build/tt_smi-sim}

export TZ=UTC LC_ALL=C.UTF-8 TERM=xterm-256color
unset NO_COLOR COLUMNS LINES LANG LC_CTYPE TT_SMI_ROOT

# The time at which recorded machines seem to be recorded: Sat Nov 15 09:46:40 2025.
WHEN=1763200000

# machine [OPTIONS]: writes a recorded machine at $D, whose files can be changed.
machine() {
	"$TT_SMI_SIM" --static --seed 7 --time $WHEN "$@" "$D" 3>&-
	chmod -R u+w "$D"
}

# start [OPTIONS]: starts a simulated machine at $D; returns when its files are complete.
start() {
	"$TT_SMI_SIM" --seed 7 "$@" "$D" 3>&- &
	SIM=$!
	eventually test -s "$D/simulated"
}

# Ends the machine that start() started.
stop() {
	kill -"${1:-TERM}" "$SIM"
	wait "$SIM" || true
	SIM=
}

# smi [OPTIONS]: tt_smi on the machine at $D.
smi() {
	"$TT_SMI" --root "$D" "$@" 3>&-
}

# spawn [OPTIONS]: the same in the background; $STARTED is the pid of the program itself, not of a
# shell.
spawn() {
	"$TT_SMI" --root "$D" "$@" 3>&- &
	STARTED=$!
}

# patiently COMMAND...: for machines where a read hangs: the command must end nevertheless. Without
# the leak check, which would wait for the thread that hangs.
patiently() {
	ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" timeout -k 5 300 "$@"
}

# capture [OPTIONS]: runs tt_smi, with its output in $WORK/out, its errors in $WORK/err and its exit
# code in $status.
capture() {
	status=0
	"$TT_SMI" --root "$D" "$@" >"$WORK/out" 2>"$WORK/err" 3>&- || status=$?
}

# expect_error CODE TEXT [OPTIONS]: exits with this code and this text on stderr, without output.
expect_error() {
	local code=$1 text=$2
	shift 2
	capture "$@"
	echo "tt_smi $*: status $status, not $code; stderr: $(cat "$WORK/err")"
	[ "$status" = "$code" ]
	[[ "$(cat "$WORK/err")" = tt_smi:*"$text"* ]]
	[ "$(wc -l <"$WORK/err")" = 1 ]
	[ ! -s "$WORK/out" ]
}

# mortal COMMAND...: runs a command for which file modes apply even if root runs the tests.
mortal() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --bounding-set=-dac_override,-dac_read_search "$@"
	else
		"$@"
	fi
}

# private COMMAND...: runs a command in a mount namespace; ordinary users get it in a user namespace.
private() {
	if [ "$(id -u)" = 0 ]; then
		unshare -m --propagation private "$@"
	else
		unshare -Urm --propagation private "$@"
	fi
}

# alone COMMAND...: runs a command in a pid namespace with its own /proc, which ordinary users get in a user
# namespace.
alone() {
	if [ "$(id -u)" = 0 ]; then
		unshare -pf --mount-proc --kill-child "$@"
	else
		unshare -Urpf --mount-proc --kill-child "$@"
	fi
}

needs_mounts() {
	private sh -c 'mount -t tmpfs none /mnt' 2>/dev/null ||
		skip "no private mounts here: user $(id -u) gets no namespace with the right to mount"
}
