#!/usr/bin/env bats
# tt_smi serve: devices that hang, resets, and the cost of a scrape.

load helpers

@test "a device that hangs delays no scrape: its series go, the others stay" {
	needs_fuse
	start -b n150,p150a --no-workloads --fault hang:0/temp1_input@1000
	serve
	eventually has '^ttsmi_temperature_celsius{device="0"'
	eventually has '^ttsmi_device_up{device="0",.*} 1$'
	next_fault
	eventually lacks '^ttsmi_temperature_celsius{device="0"'
	eventually has '^ttsmi_device_up{device="0",.*} 0$'
	eventually has '^ttsmi_temperature_celsius{device="1"'
	eventually has '^ttsmi_device_up{device="1",.*} 1$'
}

@test "no counter goes backwards over a reset, which is counted" {
	needs_fuse
	start -b n150,p150a --fault reset:0@1000-2000
	serve
	eventually has '^ttsmi_resets_total{device="0".*} 0$'
	cp "$WORK/metrics" "$WORK/1"
	next_fault
	eventually has '^ttsmi_device_up{device="0",.*} 0$'
	cp "$WORK/metrics" "$WORK/2"
	next_fault
	eventually has '^ttsmi_resets_total{device="0".*} 1$'
	cp "$WORK/metrics" "$WORK/3"
	eventually has '^ttsmi_resets_total{device="1".*} 0$'
	client grows "$WORK/1" "$WORK/2" "$WORK/3"
}

@test "the thread that answers reads no file" {
	command -v strace >/dev/null || skip "strace is not installed"
	start -b n150
	serve
	strace -qq -e trace=all -p "$SERVER" -o "$WORK/calls" 3>&- 2>"$WORK/strace" &
	STARTED="$STARTED $!"
	if ! eventually_traced; then skip "user $(id -u) may not trace: $(cat "$WORK/strace")"; fi
	for _ in $(seq 50); do metrics; done
	grep -q 'accept4\?(' "$WORK/calls"
	not grep 'open\(at2\?\)\?(\|pread' "$WORK/calls"
}

# Waits until strace has written the first call of the server, or has failed.
eventually_traced() {
	local i
	for i in $(seq 15000); do
		[ ! -s "$WORK/calls" ] || return 0
		[ ! -s "$WORK/strace" ] || return 1
		metrics
		sleep 0.02
	done
	return 1
}

# Without an allocation server there is no series about it; if the server hangs, the series is 0.
@test "a source that does not exist has no series, one that fails is down" {
	allocd=$(dirname "$TT_SMI")/tt_allocd
	[ -x "$allocd" ] || skip "tt_allocd is not built"
	export TT_ALLOCD_SOCKET=$WORK/allocd.sock
	start -b n150 -w dev=0,dram=1G,name=train
	serve
	eventually has '^ttsmi_source_up{source="kmd"} 1$'
	not grep 'source="daemon"\|source="traced"' "$WORK/metrics"
	"$allocd" --quiet --socket "$TT_ALLOCD_SOCKET" --legacy-socket "$WORK/legacy.sock" 2>"$WORK/allocd" 3>&- &
	STARTED="$STARTED $!"
	eventually has '^ttsmi_source_up{source="daemon"} 1$'
	kill -STOP $!
	eventually has '^ttsmi_source_up{source="daemon"} 0$'
	kill -CONT $!
	eventually has '^ttsmi_source_up{source="daemon"} 1$'
	kill $!
	eventually lacks 'source="daemon"'
}
