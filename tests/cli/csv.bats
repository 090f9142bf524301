#!/usr/bin/env bats
# Queries like those of nvidia-smi.

load helpers
load machines

# query [OPTIONS]: stdout only; the note that the machine is simulated is on stderr.
query() {
	smi "$@" 2>/dev/null
}

# alike QUERY NAME OTHER: both names of a column give the same values, each under its own heading.
alike() {
	query "--$1=$2" >"$WORK/a"
	query "--$1=$3" >"$WORK/b"
	diff <(tail -n +2 "$WORK/a") <(tail -n +2 "$WORK/b")
	[[ "$(head -n 1 "$WORK/a") " = "$2 "* ]]
	[[ "$(head -n 1 "$WORK/b") " = "$3 "* ]]
	[ "$(wc -l <"$WORK/a")" -gt 1 ]
}

@test "nvidia-smi's field names are accepted and give the same columns" {
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
	# Forms that nvidia-smi accepts too.
	[ "$(query --query-gpu index --format csv,noheader)" = $'0\n1' ]
	[ "$(query --query-gpu='index, name' --format=noheader,csv)" = $'0, Blackhole\n1, Blackhole' ]
	[ "$(query -i 1 --query-gpu=index --format=csv,noheader)" = 1 ]
}

@test "compute utilisation is a plain number beside its bound" {
	make_machine measured
	run "$TT_SMI" --root "$D" --format=csv,noheader,nounits \
		--query-gpu=index,utilization.gpu,utilization.bound,utilization.programs,utilization.running,utilization.operation
	echo "$output"
	[ "$status" = 0 ]
	[ "$(head -n 5 <<<"$output")" = "0, 85, exact, 850.0, [N/A], ttnn::matmul
1, 70, lower, 708.0, [N/A], ttnn::matmul
2, 80, upper, [N/A], [N/A], [N/A]
3, 100, exact, 0.0, 12, ttnn::matmul
4, 50, lower, 500.0, [N/A], ttnn::matmul" ]
	run "$TT_SMI" --root "$D" --format=csv,noheader,nounits \
		--query-compute-apps=process_name,utilization,utilization.bound
	echo "$output"
	grep -qx "first, 30, exact" <<<"$output"
	grep -qx "second, 40, exact" <<<"$output"
	grep -qx "shell, \[N/A\], \[N/A\]" <<<"$output"
}

@test "nounits removes units except in the header, noheader removes the header" {
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
	[ "$(head -1 "$WORK/c")" = "0, 72.00 W, 1000 MHz, 11776 MiB, 95 %, 0.835 V, 86.0 A, 541810 s, [N/A]" ]
	[ "$(head -1 "$WORK/d")" = "0, 72.00, 1000, 11776, 95, 0.835, 86.0, 541810, [N/A]" ]
	not grep -q '[A-Z%]' <(head -1 "$WORK/d" | sed 's/\[N\/A\]//g')
}

@test "an unknown field is reported with a suggestion, and nothing is written" {
	make_machine n150
	expect_error 2 'unknown field "temprature.gpu" (did you mean "temperature.' --query-gpu=index,temprature.gpu
	expect_error 2 'unknown field "memory.usd" (did you mean "memory.used"?)' --query-gpu=memory.usd
	expect_error 2 'unknown field "memm" (did you mean "memory.' --query-gpu=memm
	expect_error 2 'unknown field "power" (did you mean "power.draw"?)' --query-gpu=power
	expect_error 2 'unknown field "xyzzy"; --help-query-gpu' --query-gpu=xyzzy
	expect_error 2 'unknown field "used_memroy" (did you mean "used_memory"?)' --query-compute-apps=pid,used_memroy
	expect_error 2 'unknown field "qqqqqqqqqqqqqqqqqqqqqqqq"; --help-query-gpu' --query-gpu=qqqqqqqqqqqqqqqqqqqqqqqq
	expect_error 2 'unknown field "INDEX"' --query-gpu=INDEX
	expect_error 2 'empty field name' --query-gpu=
	expect_error 2 'empty field name' --query-gpu=index,,name
	expect_error 2 'empty field name' --query-gpu=index,
	expect_error 2 'unknown field "pid"' --query-gpu=pid
	expect_error 2 "--query-gpu needs a value" --query-gpu
	# Escape sequences in the name of a field do not reach the terminal.
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

@test "the help has every field of the program, and every field of the help can be queried" {
	make_machine n300
	local kind
	for kind in gpu compute-apps; do
		"$TT_SMI" --help-query-$kind >"$WORK/help"
		grep -q '^The heading of a column is the name of the field as given in the query' "$WORK/help"
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
	# Every value of a device in JSON is also a field of a query.
	smi --json >"$WORK/json"
	[ "$(jq '[.devices[0] | del(.processes, .leftovers, .unavailable, .unseen_holders, .lost_openers) | .. | scalars] | length' "$WORK/json")" -le \
		"$(wc -l <"$WORK/fields")" ]
}

@test "a query of nvidia-smi is answered, with N/A for what has no meaning here" {
	make_machine n150
	local fields=index,pstate,compute_mode,ecc.mode.current,clocks.mem,power.default_limit
	fields+=,persistence_mode,display_active,mig.mode.current,inforom.img
	fields+=,clocks_throttle_reasons.active,clocks_event_reasons.active,memory.reserved
	fields+=,addressing_mode,ecc.errors.corrected.volatile.total,retired_pages.sbe,utilization.encoder
	[ "$(query --query-gpu=$fields --format=csv,noheader)" = "0$(printf ', [N/A]%.0s' $(seq 16))" ]
	[ "$(query --query-gpu=clocks.mem,memory.reserved,power.default_limit,pstate | head -1)" = \
		"clocks.mem [MHz], memory.reserved [MiB], power.default_limit [W], pstate" ]
	[ "$(query --query-gpu=pci.domain,pci.bus,pci.device,pci.bus_id --format=csv,noheader)" = \
		"0x0000, 0x0001, 0x0000, 0000:01:00.0" ]
	expect_error 2 'unknown field "pstat" (did you mean "pstate"?)' --query-gpu=pstat
	expect_error 2 '"temprature.gpu" (did you mean "temperature.gpu"?)' --query-gpu=temprature.gpu
	expect_error 2 'unknown field "pstate"' --query-compute-apps=pstate
}

@test "values that need quotes get them, others do not" {
	machine -b n150 -w 'dev=0,dram=1G,name=plain,args=a b' -w dev=0,dram=1G,name=x
	printf 'x\0--list=a,b\0say "hi"\0' >"$(file "$D/proc/1002/cmdline")"
	[ "$(query --query-compute-apps=command,pid --format=csv,noheader)" = \
		$'plain a b, 1001\n"x --list=a,b say ""hi""", 1002' ]
}

@test "no process: only the header; and a chip without PCIe has its row" {
	make_machine p300
	[ "$(query --query-compute-apps=pid,name)" = "pid, name" ]
	[ -z "$(query --query-compute-apps=pid,name --format=csv,noheader)" ]
	rm -r "$D"
	make_machine n300
	[ "$(query --query-gpu=index,remote,gateway,state --format=csv,noheader)" = $'0, no, [N/A], ok\n0R, yes, 0, not readable' ]
}

@test "a simulated machine is marked where it does not disturb parsers" {
	make_machine n150
	capture --query-gpu=index
	[ "$status" = 0 ]
	[ "$(cat "$WORK/out")" = $'index\n0' ]
	grep -q SIMULATED "$WORK/err"
}

@test "a rate that is requested by name is known in a single output" {
	start -b n300,p150a --no-workloads --load 60
	query --query-gpu=index,pcie.rx,pcie.tx --format=csv,noheader,nounits >"$WORK/out"
	cat "$WORK/out"
	grep -q -E '^0, [0-9]+\.[0-9], [0-9]+\.[0-9]$' "$WORK/out"
	grep -q -E '^1, [0-9]+\.[0-9], [0-9]+\.[0-9]$' "$WORK/out"
	query --query-gpu=heartbeat.alive --format=csv,noheader >"$WORK/out"
	[ "$(sort -u "$WORK/out")" = $'[N/A]\nyes' ]
}

@test "utilisation: a union of processes, none on n300, and a published file counts where nothing is measured" {
	machine -b 3xn150,2xn300 -w dev=0,busy=50,name=first -w dev=0,busy=40,name=second -w dev=1,util=640,busy=30 \
		-w dev=2,util=640,busy=no-records -w dev=3,busy=70 -w dev=4,busy=70,bound=upper
	query --query-gpu=index,utilization.gpu,utilization.bound,utilization.operation --format=csv,noheader,nounits >"$WORK/out"
	diff "$WORK/out" - <<-END
		0, 70, exact, ttnn::matmul
		1, 30, exact, ttnn::matmul
		2, 64, [N/A], [N/A]
		3, [N/A], [N/A], [N/A]
		3R, [N/A], [N/A], [N/A]
		4, 70, upper, [N/A]
		4R, [N/A], [N/A], [N/A]
	END
	query --json >"$WORK/json"
	python3 - "$WORK/json" <<-END
		import json, sys
		devices = json.load(open(sys.argv[1]))["devices"]
		reasons = {device["id"]: device["unavailable"].get("utilization.dispatch") for device in devices if not device.get("remote")}
		assert reasons[3] == "ethernet_dispatch", reasons
	END
}
