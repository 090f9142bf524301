#!/usr/bin/env bats
# A field has the same value, whatever else is requested at the same time.

load helpers
load machines

# Tracked processes with more memory than a chip has, which is rejected by comparison with the totals of the board.
make_implausible() {
	machine -b p150a,n150,n300 -w dev=0,dram=1G,l1=1000G,name=l1 -w dev=1,dram=1000G,l1=1M,name=dram \
		-w dev=2,dram=1G,l1=1M,l1_small=1000G,name=small
}

# A board of two chips of which the second is not on the bus.
make_lone() {
	machine -b p300c,p150a --no-workloads
	rm -r "$D/sys/class/tenstorrent/tenstorrent!1"
}

same() {
	mortal python3 "$HERE/same.py" "$TT_SMI" "$D"
}

@test "every field alone, among all others and in JSON, on every recorded machine" {
	local m
	mkdir "$WORK/machines"
	for m in $MACHINES implausible lone; do
		D=$WORK/machines/$m
		make_machine "$m"
	done
	# Several at a time: most of it is waiting for second samples.
	ls -d "$WORK"/machines/* | mortal xargs -P 8 -n 1 python3 "$HERE/same.py" "$TT_SMI"
}

@test "the table at any width treats values as implausible like JSON" {
	make_implausible
	local c
	for c in 80 102 180; do
		COLUMNS=$c smi --ascii >"$WORK/out"
		not grep -q -E '[0-9]TB|[0-9]{3}\.[0-9]GB' "$WORK/out"
		grep -q -E '1001 +l1 +0 +1\.0GB +N/A' "$WORK/out"
	done
}

@test "the table at any width shows a device with a problem" {
	machine -b p150a --no-workloads
	echo 3 >"$(file "$(class 0)/tt_therm_trip_count")"
	local c
	for c in 80 102 180; do
		COLUMNS=$c smi >"$WORK/out"
		grep -q '^Device 0: thermal shutdown happened$' "$WORK/out"
	done
	[ "$(smi --query-gpu=health --format=csv,noheader)" = "thermal shutdown happened" ]
}

@test "the state does not depend on a file that the firmware lacks, whatever is shown" {
	machine -b p150a --no-workloads
	rm "$(class 0)/tt_asic_id"
	not grep -q telemetry <(smi -L)
	same
}

@test "hung firmware is reported, alone, with others, and in the first line of a loop" {
	start -b p150a --no-workloads --fault frozen:0
	eventually test -s "$(class 0)/tt_heartbeat"
	local f
	for f in health health,heartbeat.alive health,temperature.gpu; do
		[ "$(smi --query-gpu=$f --format=csv,noheader 2>/dev/null | cut -d, -f1)" = "firmware not alive" ]
		[ "$(smi --query-gpu=$f --format=csv,noheader -lms 100 -n 1 2>/dev/null | cut -d, -f1)" = "firmware not alive" ]
	done
}
