#!/usr/bin/env bats
# tt_smi sim -- COMMAND: our programs on the simulated machine: server, demo, monitor.
load helpers

BUILD=$(dirname "$TT_SMI_SIM")

@test "the command finds our programs in PATH, wherever it was started" {
	cd /
	run "$BUILD/tt_smi" sim --no-workloads -- sh -c 'command -v tt_smi; command -v tt_allocd; tt_smi -L'
	echo "$output"
	[ "$status" = 0 ]
	[ "${lines[0]}" = "$(realpath "$BUILD")/tt_smi" ]
	[ "${lines[1]}" = "$(realpath "$BUILD")/tt_allocd" ]
	[[ ${lines[2]} == "GPU 0: "*SIMULATED ]]
}

# A script that runs server, demo and monitor. Its exit status is that of the monitor, which must list the demo.
WORLD='
	allocation_server_poc --quiet 3>&- &
	server=$!
	for i in $(seq 15000); do [ -S "$TT_ALLOCD_SOCKET" ] && [ -S "$TT_ALLOCD_LEGACY_SOCKET" ] && break; sleep 0.02; done
	allocation_client_demo 3>&- >/dev/null &
	demo=$!
	echo "$TT_SMI_ROOT $TT_ALLOCD_SOCKET $TT_ALLOCD_LEGACY_SOCKET"
	for i in $(seq 15000); do
		allocation_monitor_client -d 0 -r 500 --once >"$0" && grep -q allocation_client_demo "$0" && break
		sleep 0.02
	done
	tt_smi mem --dump | head -1
	tt_smi --query-compute-apps=pid,process_name --format=csv,noheader | grep "^$demo,"
	r=$?
	kill $demo $server
	wait
	exit $r'

@test "server, demo and monitor work in it, on its own sockets" {
	export TT_ALLOCD_SOCKET=$WORK/another.sock # of the machine around it
	run "$BUILD/tt_smi" sim --no-workloads -- bash -c "$WORLD" "$WORK/monitor"
	echo "$output"
	cat "$WORK/monitor"
	[ "$status" = 0 ]
	read -r root own legacy <<<"${lines[0]}"
	[[ $own == "$root/run/"* && $legacy == "$root/run/"* ]]
	[ ! -e "$WORK/another.sock" ]
	[ ! -e "$root" ]
}

@test "workloads report to the server of this machine" {
	run "$BUILD/tt_smi" sim -b n150 -w dev=0,dram=1G,via=table,name=reporter -- bash -c '
		tt_allocd --quiet 3>&- &
		for i in $(seq 15000); do
			text=$(tt_smi)
			[[ $text == *reporter*"Connected to server"* ]] && break
			sleep 0.02
		done
		echo "$text"; kill $!; wait'
	echo "$output"
	[[ $output == *reporter*"Connected to server"* ]]
}

@test "a shell on a terminal gets an introduction, a script does not" {
	run env SHELL=/bin/sh script -qec "'$TT_SMI_SIM' -b n150 --no-workloads -- sh" /dev/null <<<'exit 7'
	echo "$output"
	[ "$status" = 7 ]
	[[ $output == *"this shell runs on a simulated machine (n150)"* ]]
	run env SHELL=/bin/sh script -qec "'$TT_SMI_SIM' --no-workloads -- sh -c 'exit 7'" /dev/null </dev/null
	echo "$output"
	[ "$status" = 7 ]
	[[ $output != *"simulated machine"* ]]
	run "$TT_SMI_SIM" --no-workloads -- sh <<<'exit 7'
	[ "$status" = 7 ]
	[ -z "$output" ]
}

@test "without libfuse3 only the faults that need it are rejected" {
	run "$NO_FUSE" -b n150 --fault dead:0 -- sh -c 'ls "$TT_SMI_ROOT/sys/class/tenstorrent"'
	[ "$status" = 0 ]
	[ "$output" = 'tenstorrent!0' ]
	run "$NO_FUSE" -b n150 --fault eio:0/tt_aiclk "$D" -- true
	echo "$output"
	[ "$status" = 3 ]
	[[ $output == *"built without libfuse3: install libfuse3-dev"*"work without it: dead, missing,"*", log, kill" ]]
	[ ! -e "$D" ]
}

@test "an installation replaces an older one, and works" {
	[ -w "$BUILD" ] || skip "cmake --install writes to the build directory, which is another user's"
	mkdir -p "$WORK/usr/bin" "$WORK/usr/share/man/man1"
	touch "$WORK/usr/bin/ttsim" "$WORK/usr/share/man/man1/ttsim.1" "$WORK/usr/bin/other"
	cmake --install "$BUILD" --prefix "$WORK/usr" >/dev/null
	[ ! -e "$WORK/usr/bin/ttsim" ]
	[ ! -e "$WORK/usr/share/man/man1/ttsim.1" ]
	[ -e "$WORK/usr/bin/other" ]
	run "$WORK/usr/bin/tt_smi" sim -b n150 -w dev=0,busy=0 -- sh -c '
		command -v tt_smi && tt_smi -L && tt_smi --query-gpu=utilization.bound --format=csv,noheader 2>/dev/null'
	echo "$output"
	[ "${lines[0]}" = "$WORK/usr/bin/tt_smi" ]
	[[ ${lines[1]} == "GPU 0: "* ]]
	[ "${lines[2]}" = exact ]
	# Everything is removed again, and nothing else.
	"$HERE/../../scripts/uninstall" "$BUILD" "$WORK/usr" >"$WORK/removed"
	grep -q "^removed $WORK/usr/bin/tt_smi$" "$WORK/removed"
	[ "$(find "$WORK/usr" ! -type d)" = "$WORK/usr/bin/other" ]
	[ -z "$(find "$WORK/usr" -path '*tt[-_]smi*')" ]
}

# end_soon COMMAND: makes commands that run for ever end after one sample.
end_soon() {
	case $1 in
	*'tt_smi -w'* | *'tt_smi mem'* | *allocation_monitor_client*) echo "$1 -n 1" ;;
	*) echo "$1" ;;
	esac
}

# Except tt_smi fleet, which needs a Prometheus: see tests/fleet.
@test "every command of the README works in its shell" {
	local command
	ln -s "$(realpath "$BUILD")" "$WORK/build"
	echo 'print("it ran")' >"$WORK/x.py"
	sed -n 's/ *#.*//; /^\.\/build\//p' "$HERE/../../README.md" | grep -v 'tt_smi sim\|tt_smi fleet\|allocation_server_poc\| --wait ' |
		while read -r command; do end_soon "$command"; done >"$WORK/commands"
	[ "$(wc -l <"$WORK/commands")" -ge 12 ]
	cd "$WORK"
	run build/tt_smi sim -- bash -c '
		./build/allocation_server_poc --quiet 3>&- &
		for i in $(seq 15000); do [ -S "$TT_ALLOCD_SOCKET" ] && break; sleep 0.02; done
		while read -r command; do
			echo "== $command"
			status=0
			bash -c "$command" </dev/null >out || status=$?
			# doctor finds a process whose memory is unknown
			if ! [[ $status = 0 || ($status = 1 && $command = *doctor) ]] || [ ! -s out ]; then
				echo "status $status"
			fi
		done <commands
		kill $!
		wait'
	echo "$output"
	[ "$status" = 0 ]
	[[ $output != *"status "* ]]
}

# The default workloads never end, so there are no free devices on their machine.
@test "commands of the README that wait for free devices work without workloads" {
	ln -s "$(realpath "$BUILD")" "$WORK/build"
	echo 'print("it ran")' >"$WORK/x.py"
	sed -n 's/ *#.*//; /^\.\/build\//p' "$HERE/../../README.md" | grep -e ' --wait ' >"$WORK/commands"
	cd "$WORK"
	run build/tt_smi sim -b 2xn150 --no-workloads -- bash -e commands
	echo "$output"
	[ "$status" = 0 ]
	[[ $output = *'it ran'* ]]
}
