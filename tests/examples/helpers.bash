# Common to the tests of the examples. TT_SMI and TT_SMI_SIM are the paths of the programs; CTest sets
# them.

load ../common

HERE=$BATS_TEST_DIRNAME
EXAMPLES=$HERE/../../examples
TT_SMI=${TT_SMI:-$HERE/../../build/tt_smi}
TT_SMI_SIM=${TT_SMI_SIM:-$HERE/../../build/tt_smi-sim}
export TZ=UTC LC_ALL=C.UTF-8
unset TT_SMI_ROOT TT_VISIBLE_DEVICES

# machine BOARDS [OPTIONS]: writes a machine without jobs to $D, which the command tt_smi then shows.
machine() {
	"$TT_SMI_SIM" --static --seed 7 --no-workloads -b "$@" "$D" 3>&- 2>/dev/null
	chmod -R u+w "$D"
	mkdir "$WORK/bin"
	printf '#!/bin/sh\nTT_SMI_ROOT=%s exec %s "$@"\n' "$D" "$TT_SMI" >"$WORK/bin/tt_smi"
	chmod 755 "$WORK/bin/tt_smi"
	PATH=$WORK/bin:$PATH
}

# machine_with_processes BOARDS: the same with the real /proc. Its driver is too old to list processes
# (which is a warning), so every process that has one of its device files open is a job.
machine_with_processes() {
	machine "$1" --driver 2.4.0
	mv "$D/proc" "$WORK/proc"
	ln -s /proc "$D/proc"
}

# temperature MILLIDEGREES: of device 0, which is too hot from 75000 on.
temperature() {
	echo "$1" >"$(echo "$(class 0)/device/hwmon/"*/temp1_input)"
}

# apart OPTIONS... COMMAND...: runs a command in namespaces of its own; with the pid namespace, all
# processes that it has started end. Ordinary users get them in a user namespace, where they
# keep their uid.
apart() {
	if [ "$(id -u)" = 0 ]; then
		unshare --pid --fork --mount-proc --kill-child "$@"
	else
		unshare --user --map-current-user --keep-caps --pid --fork --mount-proc --kill-child "$@"
	fi
}

needs_namespaces() {
	apart "$@" true 2>/dev/null || skip "no namespaces here for user $(id -u)"
}
