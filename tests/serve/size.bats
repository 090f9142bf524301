#!/usr/bin/env bats
# tt_smi serve: the size of a scrape.

load helpers

# A Galaxy that has been running for an hour, with four jobs.
busy_machine() {
	local job
	machine -b galaxy-blackhole --after 3600 -w dev=0+1+2+3+4+5+6+7,dram=4G,l1=16M,name=train \
		-w dev=8+9+10+11+12+13+14+15,dram=5G,l1=17M,name=train -w dev=16+17+18+19,dram=6G,l1=18M,name=serve \
		-w dev=20+21+22+23,dram=7G,l1=19M,name=serve
	for job in 1 2 3 4; do
		echo "0::/system.slice/slurmstepd.scope/job_471$job/step_0/user/task_0" >"$D/proc/100$job/cgroup"
		printf 'SLURM_JOB_ID=471%d\0SLURM_JOB_NAME=pretrain-7b-%d\0' "$job" "$job" >"$D/proc/100$job/environ"
	done
}

# packed FORMAT [PATH] [SERIES]: gets the compressed metrics; fails if a read of a device was late.
packed() {
	get "${2:-/metrics}" -H "Accept: $1" -H 'Accept-Encoding: gzip' >"$WORK/packed" || return
	[ "$(gzip -dc "$WORK/packed" | grep -c '^ttsmi_')" -ge "${3:-1250}" ]
}

@test "32 devices with owners: less than 10,000 bytes in either format" {
	local format
	busy_machine
	serve --expect 32
	for format in text/plain application/openmetrics-text; do
		eventually packed $format
		echo "# $format: $(gzip -dc "$WORK/packed" | grep -c '^ttsmi_') series, $(wc -c <"$WORK/packed") bytes"
		[ "$(gzip -dc "$WORK/packed" | grep -c '^ttsmi_owner_memory_used_bytes{.*slurm_job_name=')" = 48 ]
		[ "$(wc -c <"$WORK/packed")" -lt 10000 ]
	done
}

# Simulated machines of a fleet begin with what their chips have counted in up to a year. Their numbers
# differ from run to run, so the largest of 40 answers has 9,940 to 10,010 bytes.
@test "32 devices after a year, with all counters and owners: less than 10 KiB in either format" {
	local format machine
	"$TT_SMI" sim -b galaxy-blackhole --fleet 40 --listen 127.0.0.1:0 2>"$WORK/log" 3>&- &
	SERVER=$!
	STARTED="$STARTED $SERVER"
	eventually grep -q '/targets' "$WORK/log"
	PORT=$(sed -n 's,.*http://127.0.0.1:\([0-9]*\)/targets.*,\1,p' "$WORK/log")
	for format in text/plain application/openmetrics-text; do
		for machine in $(seq -f node%04.0f 1 40); do
			eventually packed $format "/machines/$machine/metrics" 1200
			wc -c <"$WORK/packed"
			[ "$(gzip -dc "$WORK/packed" | grep -cE '^ttsmi_pcie_received_bytes_total.* [0-9]{15}$')" -gt 20 ]
		done >"$WORK/sizes"
		echo "# $format: $(sort -n "$WORK/sizes" | tail -n 1) bytes at most"
		[ "$(sort -n "$WORK/sizes" | tail -n 1)" -lt 10240 ]
	done
}

@test "owners beyond the limit have no series, and are counted" {
	busy_machine
	serve --max-owners 3 --collect processes
	eventually has '^ttsmi_series_dropped_total [1-9]'
	[ "$(grep -c '^ttsmi_owner_devices{' "$WORK/metrics")" = 3 ]
	not grep -q '^ttsmi_owner.*slurm_job="4713"' "$WORK/metrics" # the one with the least memory
	grep -q '^ttsmi_process_memory_used_bytes{.*pool="dram",pid="1003",name="serve",kind="slurm",slurm_job="4713"' "$WORK/metrics"
	serve --no-collect owners --max-owners 3
	eventually has '^ttsmi_series_dropped_total 0$'
	not grep -q '^ttsmi_owner\|^ttsmi_process' "$WORK/metrics"
}
