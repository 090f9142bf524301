#!/usr/bin/env bats
# Queries in nvidia-smi's manner.

load helpers
load machines

# query [OPTIONS]: stdout only; that the machine is simulated is said on stderr.
query() {
	smi "$@" 2>/dev/null
}

# alike QUERY NAME OTHER: two names of one column, each its own heading: whoever asked for a
# name looks for it in the first line.
alike() {
	query "--$1=$2" >"$WORK/a"
	query "--$1=$3" >"$WORK/b"
	diff <(tail -n +2 "$WORK/a") <(tail -n +2 "$WORK/b")
	[[ "$(head -n 1 "$WORK/a") " = "$2 "* ]]
	[[ "$(head -n 1 "$WORK/b") " = "$3 "* ]]
	[ "$(wc -l <"$WORK/a")" -gt 1 ]
}

@test "nvidia-smi's names are understood and answered by the same columns" {
	make_machine n300
	local pair
	for pair in gpu_name=name gpu_uuid=uuid gpu_bus_id=pci.bus_id gpu_serial=serial kmd_version=driver_version \
		temperature.gpu=temperature.asic temperature.gpu.tlimit=temperature.headroom \
		power.draw.instant=power.draw enforced.power.limit=power.limit clocks.sm=clocks.ai \
		clocks.current.sm=clocks.ai clocks.max.sm=clocks.ai.max vbios_version=firmware.bundle \
		utilization.gpu=utilization.device pcie.link.gen.gpucurrent=pcie.link.gen.current; do
		alike query-gpu "${pair%=*}" "${pair#*=}"
	done
	for pair in name=process_name used_gpu_memory=used_memory gpu_uuid=uuid gpu_bus_id=pci.bus_id; do
		alike query-compute-apps "${pair%=*}" "${pair#*=}"
	done
}

@test "scripts written for nvidia-smi find what they parse" {
	make_machine p150a-two
	[ "$(query --query-gpu=index,memory.used,memory.total --format=csv,noheader,nounits)" = $'0, 8192, 32640\n1, 28672, 32640' ]
	[ "$(query --query-gpu=count --format=csv,noheader | sort -u)" = 2 ]
	[ "$(query --query-gpu=temperature.gpu --format=csv,noheader,nounits)" = $'59\n69' ]
	[ "$(query --query-gpu=power.draw --format=csv,noheader)" = $'73.00 W\n103.00 W' ]
	[ "$(query --query-compute-apps=pid,used_memory --format=csv)" = \
		$'pid, used_memory [MiB]\n1001, 8192 MiB\n1001, 8192 MiB\n1002, 20480 MiB' ]
	[ "$(query --query-gpu=timestamp --format=csv,noheader | head -1)" = '2025/11/15 09:46:40.000' ]
	# The forms that nvidia-smi takes as well.
	[ "$(query --query-gpu index --format csv,noheader)" = $'0\n1' ]
	[ "$(query --query-gpu='index, name' --format=noheader,csv)" = $'0, Blackhole\n1, Blackhole' ]
	[ "$(query -i 1 --query-gpu=index --format=csv,noheader)" = 1 ]
}

@test "nounits leaves out units everywhere but in the header, noheader leaves out that" {
	make_machine n300
	local f=index,power.draw,clocks.ai,memory.used,utilization.memory,voltage.core,current.core,uptime,fan.rpm
	query --query-gpu=$f >"$WORK/a"
	query --query-gpu=$f --format=csv,nounits >"$WORK/b"
	query --query-gpu=$f --format=csv,noheader >"$WORK/c"
	query --query-gpu=$f --format=csv,noheader,nounits >"$WORK/d"
	cmp <(head -1 "$WORK/a") <(head -1 "$WORK/b")
	cmp <(tail -n +2 "$WORK/a") "$WORK/c"
	cmp <(tail -n +2 "$WORK/b") "$WORK/d"
	[ "$(head -1 "$WORK/a")" = "index, power.draw [W], clocks.ai [MHz], memory.used [MiB], utilization.memory [%], voltage.core [V], current.core [A], uptime [s], fan.rpm [rpm]" ]
	[ "$(head -1 "$WORK/c")" = "0, 72.00 W, 1000 MHz, 11776 MiB, 96 %, 0.835 V, 86.0 A, 541810 s, [N/A]" ]
	[ "$(head -1 "$WORK/d")" = "0, 72.00, 1000, 11776, 96, 0.835, 86.0, 541810, [N/A]" ]
	not grep -q '[A-Z%]' <(head -1 "$WORK/d" | sed 's/\[N\/A\]//g')
}

@test "an unknown field is named, with what it may have meant, and nothing is written" {
	make_machine n150
	expect_error 2 'unknown field "temprature.gpu" (did you mean "temperature.' --query-gpu=index,temprature.gpu
	expect_error 2 'unknown field "memory.usd" (did you mean "memory.used"?)' --query-gpu=memory.usd
	expect_error 2 'unknown field "used_memroy" (did you mean "used_memory"?)' --query-compute-apps=pid,used_memroy
	expect_error 2 'unknown field "qqqqqqqqqqqqqqqqqqqqqqqq"; --help-query-gpu' --query-gpu=qqqqqqqqqqqqqqqqqqqqqqqq
	expect_error 2 'unknown field "INDEX"' --query-gpu=INDEX
	expect_error 2 'empty field name' --query-gpu=
	expect_error 2 'empty field name' --query-gpu=index,,name
	expect_error 2 'empty field name' --query-gpu=index,
	expect_error 2 'unknown field "pid"' --query-gpu=pid
	expect_error 2 "--query-gpu wants" --query-gpu
	# A field that is itself an attack does not reach the terminal.
	capture --query-gpu=$'\033[2J'
	[ "$status" = 2 ]
	not grep -q $'\033' "$WORK/err"
	expect_error 2 'is not csv, noheader or nounits' --query-gpu=index --format=xml
	expect_error 2 'the only form is csv' --query-gpu=index --format=noheader
	expect_error 2 '--format needs a query' --format=csv
	expect_error 2 'one query at a time' --query-gpu=index --query-gpu=name
	expect_error 2 'one query at a time' --query-gpu=index --query-compute-apps=pid
}

# The first name of every entry of the help.
fields() {
	"$TT_SMI" "$1" | sed -n 's/^"\([^"]*\)".*/\1/p'
}

@test "the help has every field of the program, and every field of the help can be asked for" {
	make_machine n300
	local kind
	for kind in gpu compute-apps; do
		"$TT_SMI" --help-query-$kind >"$WORK/help"
		grep -q '^The heading of a column is the name that was asked for' "$WORK/help"
		fields --help-query-$kind >"$WORK/fields"
		[ "$(sort "$WORK/fields" | uniq -d)" = "" ]
		query --query-$kind="$(paste -sd, "$WORK/fields")" >"$WORK/out"
		# Every name comes back as a heading, in this order.
		diff "$WORK/fields" <(head -1 "$WORK/out" | sed 's/, /\n/g; s/ \[[^]]*\]//g')
		# The aliases too.
		grep '^"' "$WORK/help" | grep -o '"[^"]*"' | tr -d '"' | sort -u >"$WORK/all"
		query --query-$kind="$(paste -sd, "$WORK/all")" >"$WORK/out"
		[ "$(wc -l <"$WORK/out")" -gt 1 ]
	done
	fields --help-query-gpu >"$WORK/fields"
	[ "$(wc -l <"$WORK/fields")" -ge 70 ]
	# Whatever JSON knows of a device can be asked for: no field without a name here.
	smi --json >"$WORK/json"
	[ "$(jq '[.devices[0] | del(.processes, .leftovers, .unavailable, .unseen_holders, .lost_openers) | .. | scalars] | length' "$WORK/json")" -le \
		"$(wc -l <"$WORK/fields")" ]
}

@test "values that need quotes get them, others do not" {
	machine -b n150 -w 'dev=0,dram=1G,name=plain,args=a b' -w dev=0,dram=1G,name=x
	printf 'x\0--list=a,b\0say "hi"\0' >"$(file "$D/proc/1002/cmdline")"
	[ "$(query --query-compute-apps=command,pid --format=csv,noheader)" = \
		$'plain a b, 1001\n"x --list=a,b say ""hi""", 1002' ]
}

@test "no process: the header alone; and a chip without PCIe has its row" {
	make_machine p300
	[ "$(query --query-compute-apps=pid,name)" = "pid, name" ]
	[ -z "$(query --query-compute-apps=pid,name --format=csv,noheader)" ]
	rm -r "$D"
	make_machine n300
	[ "$(query --query-gpu=index,remote,gateway,state --format=csv,noheader)" = $'0, no, [N/A], ok\n0R, yes, 0, not readable' ]
}

@test "that a machine is simulated is said where it does not disturb" {
	make_machine n150
	capture --query-gpu=index
	[ "$status" = 0 ]
	[ "$(cat "$WORK/out")" = $'index\n0' ]
	grep -q SIMULATED "$WORK/err"
}

@test "a rate that is asked for by name is there in a single output" {
	start -b n300,p150a --no-workloads --load 60
	query --query-gpu=index,pcie.rx,pcie.tx --format=csv,noheader,nounits >"$WORK/out"
	cat "$WORK/out"
	grep -q -E '^0, [0-9]+\.[0-9], [0-9]+\.[0-9]$' "$WORK/out"
	grep -q -E '^1, [0-9]+\.[0-9], [0-9]+\.[0-9]$' "$WORK/out"
	query --query-gpu=heartbeat.alive --format=csv,noheader >"$WORK/out"
	[ "$(sort -u "$WORK/out")" = $'[N/A]\nyes' ]
}
