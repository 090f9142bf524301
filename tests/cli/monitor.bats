#!/usr/bin/env bats
# dmon and pmon: lines in the columns of nvidia-smi.

load helpers

setup() {
	make_work
	export TT_SMI_ROOT=$D
}

smi() {
	"$TT_SMI" "$@" 3>&-
}

capture() {
	status=0
	smi "$@" >"$WORK/out" 2>"$WORK/err" || status=$?
}

# column NAME: its values in the lines of $WORK/out, found by the heading.
column() {
	awk -v name="$1" 'NR == 1 { sub(/^#/, ""); for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
		NR > 2 { print $at }' "$WORK/out"
}

# query KIND FIELD: its values in CSV, whole numbers, with "-" for what is unknown.
query() {
	smi "--query-$1=$2" --format=csv,noheader,nounits 2>/dev/null |
		sed 's/\[N\/A\]/-/' | while read -r value; do
		[[ $value =~ ^[0-9.]+$ ]] && value=$(printf '%.0f' "$value")
		echo "$value"
	done
}

# agrees KIND COLUMN FIELD: the column shows the field.
agrees() {
	echo "$2 is $3: $(column "$2" | xargs) and $(query "$1" "$3" | xargs)"
	[ -n "$(column "$2")" ]
	diff <(column "$2") <(query "$1" "$3")
}

@test "dmon: each column shows its field" {
	machine -b n150,n300 -w dev=0,dram=1G,l1=3M,name=train,busy=85 -w dev=1,dram=3G,name=other
	smi dmon -c 1 -s pucvmex >"$WORK/out" 2>/dev/null
	local pair
	for pair in gpu=index pwr=power.draw gtemp=temperature.asic mtemp=temperature.memory \
		sm=utilization.device mem=utilization.memory enc=utilization.encoder mclk=clocks.mem \
		pclk=clocks.ai fb=memory.used bound=utilization.bound progs=utilization.programs \
		l1=memory.l1.used pci=pcie.errors.correctable sbecc=ecc.errors.corrected.volatile.total; do
		agrees gpu "${pair%=*}" "${pair#*=}"
	done
	[ "$(column sm)" = $'85\n-\n-' ]
	[ "$(wc -l <"$WORK/out")" = 5 ]
}

@test "dmon: the first sample has rates" {
	start -b n150 --no-workloads --load 50
	smi dmon -c 1 -s t >"$WORK/out" 2>/dev/null
	[[ "$(column rxpci)" =~ ^[0-9]+$ ]]
	[[ "$(column txpci)" =~ ^[0-9]+$ ]]
}

@test "pmon: each process on each device, and a line for a device without" {
	machine -b n150,p150a,p150a -w dev=0+1,dram=1G,l1=2M,name=both -w dev=1,dram=3G,name=other
	smi pmon -c 1 -s umx >"$WORK/out" 2>/dev/null
	[ "$(column gpu)" = $'0\n1\n1\n2' ]
	[ "$(column pid)" = $'1001\n1001\n1002\n-' ]
	[ "$(column type)" = $'C\nC\nC\n-' ]
	[ "$(column fb)" = $'1024\n1024\n3072\n-' ]
	[ "$(column l1)" = $'2\n2\n0\n-' ]
	[ "$(column command)" = $'both\nboth\nother\n-' ]
	smi pmon -c 1 -i 1 >"$WORK/out" 2>/dev/null
	[ "$(column pid)" = $'1001\n1002' ]
}

@test "pmon: a name cannot break its line" {
	machine -b n150 -w dev=0,dram=1G,name=x
	printf 'a\nb\033[2J' >"$(readlink -f "$D/proc/1001")/comm"
	smi pmon -c 1 >"$WORK/out" 2>/dev/null
	[ "$(wc -l <"$WORK/out")" = 3 ]
	not grep -q $'\033' "$WORK/out"
}

@test "headings once, then lines; date and time on request" {
	machine -b n150,p150a --no-workloads
	smi dmon -c 3 -d 0.01 >"$WORK/out" 2>/dev/null
	[ "$(grep -c '^#' "$WORK/out")" = 2 ]
	[ "$(wc -l <"$WORK/out")" = 8 ]
	[ "$(head -2 "$WORK/out")" = "$(printf '%s\n' \
		'# gpu    pwr  gtemp  mtemp     sm    mem    enc    dec    jpg    ofa   mclk   pclk' \
		'# Idx      W      C      C      %      %      %      %      %      %    MHz    MHz')" ]
	smi dmon -c 1 -o DT -s p >"$WORK/out" 2>/dev/null
	[ "$(head -2 "$WORK/out")" = "$(printf '%s\n' '#Date     Time      gpu    pwr  gtemp  mtemp' \
		'#YYYYMMDD HH:MM:SS  Idx      W      C      C')" ]
	[[ "$(tail -1 "$WORK/out")" = ' 20251115 09:46:40    1 '* ]]
	smi pmon -c 1 -o T >"$WORK/out" 2>/dev/null
	[[ "$(tail -1 "$WORK/out")" = ' 09:46:40    1          - '* ]]
	smi dmon -c 2 -d 0.01 -f "$WORK/log" 2>/dev/null
	[ "$(wc -l <"$WORK/log")" = 6 ]
}

@test "wrong options are named" {
	machine -b n150
	expect_error 2 '-s: no group "q"; the groups are pucvmetx' dmon -s pq
	expect_error 2 '-s: no group "p"; the groups are umx' pmon -s p
	expect_error 2 '-s: no group is given' dmon -s ''
	expect_error 2 '-d: "0" is not a number of seconds' dmon -d 0
	expect_error 2 '-o: "X" is not D, T or DT' dmon -o X
	expect_error 6 'device 7: there is no such device' pmon -i 7 -c 1
}
