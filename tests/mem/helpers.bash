# Common to the tests of the memory monitor. BUILD is the directory of the programs; CTest
# sets it. Programs that report their memory are real, the machine is simulated: a link
# below its /proc makes a process part of it.

load ../common

HERE=$BATS_TEST_DIRNAME
BUILD=${BUILD:-$HERE/../../build}
TT_SMI=$BUILD/tt_smi
MONITOR=$BUILD/allocation_monitor_client
TT_SMI_SIM=$BUILD/tt_smi-sim
REPORTER=${REPORTER:-$BUILD/tests/mem/reporter}
SERVER=$BUILD/tt_allocd

export TZ=UTC LC_ALL=C.UTF-8 TERM=xterm-256color
unset NO_COLOR COLUMNS LINES LANG LC_CTYPE TT_VISIBLE_DEVICES

setup() {
	make_work
	export TT_SMI_ROOT=$D TT_ALLOCD_SOCKET=$WORK/allocd.sock
}

# machine [OPTIONS]: starts a simulated machine at $D; returns when its files are complete.
machine() {
	"$TT_SMI_SIM" --seed 7 "$@" "$D" 3>&- &
	STARTED="$STARTED $!"
	eventually test -s "$D/simulated"
}

# report NODE COUNT SIZE [POOL]: starts a reporter (reporter.c) on the machine. Its pid is $REPORTED; it
# executes the commands that are written to $ORDERS.
report() {
	ORDERS=$WORK/orders.$RANDOM
	mkfifo "$ORDERS"
	"$REPORTER" "$@" <>"$ORDERS" >"$ORDERS.out" 3>&- &
	REPORTED=$!
	STARTED="$STARTED $REPORTED"
	eventually test -s "$ORDERS.out"
	ln -s "/proc/$REPORTED" "$D/proc/$REPORTED"
}

# serve [OPTIONS]: starts the server; returns when it listens. Its pid is $SERVED.
serve() {
	"$SERVER" --quiet --socket "$TT_ALLOCD_SOCKET" --legacy-socket "$WORK/legacy.sock" "$@" \
		2>>"$WORK/server.log" 3>&- &
	SERVED=$!
	STARTED="$STARTED $SERVED"
	eventually test -S "$TT_ALLOCD_SOCKET"
}

# As many allocations as a big program has; fewer with sanitizers, which are slow.
if [ -z "${TT_SANITIZE:-}" ]; then MANY=1000000; else MANY=100000; fi

needs_server() {
	[ -x "$SERVER" ] || skip "tt_allocd is not built"
}

needs_jsonschema() {
	python3 -c 'import jsonschema' 2>/dev/null || skip "no jsonschema for Python"
}

mem() {
	"$TT_SMI" mem "$@"
}

# field FILTER: prints what jq selects from the JSON of one sample.
field() {
	mem --once --json | jq -c "$1"
}

# field_is FILTER VALUE
field_is() {
	is "$(field "$1")" "$2"
}

is() {
	[ "$1" = "$2" ] || { echo "is: $1"; echo "expected: $2"; return 1; }
}
