#!/usr/bin/env bats
# tt_smi fleet with a simulated fleet of 50 machines (tt_smi sim --fleet) in Prometheus and VictoriaMetrics.

load helpers

# simulate: starts 50 machines with four devices; $SD is the file of their addresses for the server.
simulate() {
	"$TT_SMI_SIM" -b n300,3xp150a --fleet 50 --listen 127.0.0.1:0 "$WORK/sim" 2>"$WORK/log" 3>&- &
	SIM=$!
	eventually grep -q 'serving 50 simulated machines' "$WORK/log"
	SD=$(grep -o 'http://[^ ]*' "$WORK/log")
}

# tt_smi-sim(1) documents which machines of a simulated fleet have which faults.
has_faults() {
	document '[.totals.machines, .totals.devices_up, .totals.devices_target, .totals.machines_without_data]' '[50,196,200,0]' &&
		document '[.machines[] | select(.devices_up < 4) | .machine] | sort' '["node0005","node0015","node0030","node0040"]'
}

has_alerts() {
	document '[.machines[] | .machine as $m | .alerts[] | $m + " " + .name] | sort' "$(jq -cn '$ARGS.positional | sort' --args \
		"node0005 TenstorrentDeviceDown" "node0030 TenstorrentDeviceDown" "node0010 TenstorrentDeviceHot" \
		"node0035 TenstorrentDeviceHot" "node0015 TenstorrentDeviceMissing" "node0040 TenstorrentDeviceMissing" \
		"node0020 TenstorrentDeviceDirty" "node0045 TenstorrentDeviceDirty" "node0025 TenstorrentPcieDegraded" \
		"node0050 TenstorrentPcieDegraded")"
}

scrape_config() {
	printf 'global: { scrape_interval: 2s, evaluation_interval: 2s }\n'
	[ $# = 0 ] || printf 'rule_files: [ "%s", "%s" ]\n' "$@"
	printf 'scrape_configs:\n  - job_name: tt_smi\n    http_sd_configs: [ { url: "%s" } ]\n' "$SD"
}

@test "Prometheus, with our rules: faults of single machines are found" {
	command -v prometheus >/dev/null || skip "prometheus is not installed"
	simulate
	address=$(own_address)
	URL=http://$address
	sed 's/^\( *for:\).*/\1 1s/' "$TOP/share/prometheus/tt_smi.rules.yml" >"$WORK/rules.yml"
	scrape_config "$WORK/rules.yml" "$TOP/share/prometheus/tt_smi.recording.yml" >"$WORK/prometheus.yml"
	command prometheus --config.file="$WORK/prometheus.yml" --storage.tsdb.path="$WORK/tsdb" \
		--web.listen-address="$address" >"$WORK/prometheus.log" 2>&1 3>&- &
	STARTED="$! $STARTED"
	eventually has_faults
	eventually document '.from_recording_rules' true
	eventually has_alerts
	[ "$(fleet | grep -c '^node')" = 20 ]
	fleet | grep -q '^+30 machines'
	[ "$(fleet --csv | tail -n +2 | wc -l)" = 50 ]
	[ "$(fleet --json 'node000[1-3]' | jq -c '[.totals.machines, .totals.devices_target]')" = '[3,12]' ]
}

@test "VictoriaMetrics, without rules: the same machines" {
	command -v victoria-metrics >/dev/null || skip "victoria-metrics is not installed"
	simulate
	address=$(own_address)
	URL=http://$address
	scrape_config | sed 's/, evaluation_interval: 2s//' >"$WORK/scrape.yml"
	victoria-metrics -promscrape.config="$WORK/scrape.yml" -storageDataPath="$WORK/vm" -memory.allowedBytes=64MB \
		-httpListenAddr="$address" -search.latencyOffset=0s >"$WORK/vm.log" 2>&1 3>&- &
	STARTED="$! $STARTED"
	eventually has_faults
	document '[.from_recording_rules, .totals.alerts]' '[false,null]'
	run fleet --match 'instance=~"node000[12]"'
	[ "$status" = 0 ] && [[ $output == *"2 machines   8 of 8 devices up"* ]]
}
