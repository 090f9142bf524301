#!/usr/bin/env bats
# scripts/capture: a recording gives the same output as the machine, except for the ids.
load helpers

# The output without ids and user names, which a recording does not have.
show() {
	"$TT_SMI" --root "$1" --json | jq -S '
		del(.recorded, .host)
		| del(.devices[] | .uuid, .serial, .asic_id)
		| del(.processes[] | .user)'
}

@test "a recording gives the same output as the machine" {
	tree -b n300,p150a,p300,n150 -w dev=0+2,dram=2G,behind=1G,l1=4M,trace=1M,util=300,name=train,args="a b" \
		-w dev=1,via=none,name=idle,cgroup=/system.slice/x.service -w dev=3,dram=1G,name=other
	"$TOP/scripts/capture" -r "$WORK/tree" "$WORK/captured"
	show "$WORK/tree" >"$WORK/a"
	show "$WORK/captured" >"$WORK/b"
	[ "$(jq '.processes | length' "$WORK/b")" = 3 ]
	diff "$WORK/a" "$WORK/b"
	diff <("$TT_SMI" --root "$WORK/tree") <("$TT_SMI" --root "$WORK/captured")
}

@test "cards that the driver does not serve are recorded too" {
	tree -b n150,p150a,p150a --no-workloads --fault unbound:1 --fault vfio:2
	"$TOP/scripts/capture" -r "$WORK/tree" "$WORK/captured"
	show "$WORK/captured" | jq -e '.devices | map(.id) == [0, "0000:02:00.0", "0000:03:00.0"]'
	diff <(show "$WORK/tree") <(show "$WORK/captured")
}

@test "a recording of a running machine has its processes and their memory" {
	"$TT_SMI_SIM" -- sh -c '"$0" -r "$TT_SMI_ROOT" "$1"' "$TOP/scripts/capture" "$WORK/captured" 3>&-
	"$TT_SMI" --root "$WORK/captured" --json >"$WORK/json"
	jq -e '.simulated and .recorded' "$WORK/json"
	jq -e '[.processes[] | select(.holding == "seen")] | length == 5' "$WORK/json"
	jq -e '[.processes[].devices[] | select(.tracking == "metal")] | length == 5' "$WORK/json"
}

@test "no serial number and no ASIC id is in a recording, and boards keep their type" {
	tree -b n300,p300 -w dev=0+1+2,dram=1G,util=1
	"$TT_SMI" --root "$WORK/tree" --query-gpu=serial,asic_id --format=csv,noheader |
		tr -d ' ' | tr , '\n' | grep -v N/A | sort -u >"$WORK/ids"
	"$TOP/scripts/capture" -r "$WORK/tree" "$WORK/captured"
	while read -r id; do
		for form in "$id" "${id,,}" "$(printf %u "0x$id")"; do
			echo "$form"
			not grep -rqaF "$form" "$WORK/captured"
			[ -z "$(find "$WORK/captured" -name "*$form*")" ]
		done
		bytes=$(sed 's/\(..\)/\1 /g' <<<"$id" | tr ' ' '\n' | grep . | tac | sed 's/^/\\x/' | tr -d '\n')
		not env LC_ALL=C grep -rqaP "$bytes" "$WORK/captured/dev"
	done <"$WORK/ids"
	diff <("$TT_SMI" --root "$WORK/tree" --query-gpu=board --format=csv) \
		<("$TT_SMI" --root "$WORK/captured" --query-gpu=board --format=csv)
	# The chips of one board still share their serial number, and all ASIC ids still differ.
	[ "$("$TT_SMI" --root "$WORK/captured" --query-gpu=serial --format=csv,noheader | sort -u | wc -l)" = 2 ]
	[ "$("$TT_SMI" --root "$WORK/captured" --query-gpu=asic_id --format=csv,noheader | grep -v N/A | sort -u | wc -l)" = 3 ]
}

@test "command lines can be left out" {
	tree -w dev=0,name=python3,args="--token secret"
	"$TOP/scripts/capture" -n -r "$WORK/tree" "$WORK/captured"
	not grep -rq secret "$WORK/captured"
}

@test "unreadable files are omitted and listed" {
	[ "$(id -u)" != 0 ] || skip "root can read everything"
	tree
	chmod 0 "$WORK"/tree/sys/devices/*/*/*/hwmon/*/temp1_input
	"$TOP/scripts/capture" -r "$WORK/tree" "$WORK/captured"
	grep -q 'left out: .*temp1_input' "$WORK/captured/capture.log"
	[ "$("$TT_SMI" --root "$WORK/captured" -i 0 --query-gpu=temperature.gpu --format=csv,noheader)" = "[N/A]" ]
}

@test "nodes are not opened" {
	command -v strace >/dev/null || skip "no strace here"
	tree -w dev=0,dram=1G
	run strace -f -o "$WORK/trace" true
	[ "$status" = 0 ] || skip "strace may not trace here"
	strace -f -e trace=open,openat,openat2 -o "$WORK/trace" "$TOP/scripts/capture" -r "$WORK/tree" "$WORK/captured"
	grep -q tt_serial "$WORK/trace"
	not grep '/dev/tenstorrent/' "$WORK/trace"
}

@test "it writes only into an empty directory" {
	tree
	mkdir "$WORK/full"
	touch "$WORK/full/file"
	run "$TOP/scripts/capture" -r "$WORK/tree" "$WORK/full"
	[ "$status" = 1 ]
	[[ $output == *"not empty"* ]]
	run "$TOP/scripts/capture"
	[ "$status" = 2 ]
}
