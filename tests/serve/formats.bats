#!/usr/bin/env bats
# tt_smi serve: formats and values, on simulated machines.

load helpers

# Fetches both formats; fails if a read of a device was late, so that series are missing.
fetch_both() {
	metrics && [ "$(grep -c '^ttsmi_' "$WORK/metrics")" -gt 60 ] &&
		get /metrics -H 'Accept: application/openmetrics-text; version=1.0.0' -D "$WORK/headers" >"$WORK/openmetrics" &&
		grep -q '^ttsmi_energy_joules_total{' "$WORK/openmetrics"
}

@test "a strict reader of OpenMetrics and promtool accept the metrics" {
	start -b n300,p150a
	serve --expect 2
	eventually fetch_both
	not grep -q '^# UNIT\|^# EOF' "$WORK/metrics"
	grep -q '^ttsmi_device_info{.*board="' "$WORK/metrics"
	not grep -q 'numa_node="-1"' "$WORK/metrics" # -1: the kernel knows no node
	grep -qi '^content-type: application/openmetrics-text; version=1.0.0; charset=utf-8' "$WORK/headers"
	[ "$(tail -n 1 "$WORK/openmetrics")" = "# EOF" ]
	grep -qx '# UNIT ttsmi_energy_joules joules' "$WORK/openmetrics"
	grep -qx '# TYPE ttsmi_device info' "$WORK/openmetrics"
	if ! "$PYTHON" -c 'import prometheus_client' 2>/dev/null; then
		skip "python3-prometheus-client is not installed"
	fi
	[ "$(client parse "$WORK/openmetrics")" -ge 30 ]
	command -v promtool >/dev/null || skip "promtool (package prometheus) is not installed"
	run promtool check metrics <"$WORK/metrics"
	echo "$output"
	[ "$status" = 0 ] && [ -z "$output" ]
}

# Both answers, which may be of different samples, have the same series.
packed_and_plain_agree() {
	get /metrics -H 'Accept-Encoding: gzip' -D "$WORK/headers" >"$WORK/packed" &&
		metrics -H 'Accept-Encoding: gzip;q=0' &&
		cmp -s <(gzip -dc "$WORK/packed" | sed 's/ [^ ]*$//') <(sed 's/ [^ ]*$//' "$WORK/metrics")
}

@test "gzip is sent to those that accept it, and holds the same series" {
	start -b n150
	serve
	eventually packed_and_plain_agree
	grep -qi '^content-encoding: gzip' "$WORK/headers"
	grep -q '^ttsmi_device_up{' "$WORK/metrics"
}

@test "values are those of the JSON document of the same sample" {
	start -b n300,p150a -w dev=0,dram=3G,l1=2M,name=train -w dev=1,via=none
	serve --collect details
	eventually has '^ttsmi_quiet_seconds'
	[ "$(client compare "$PORT")" -gt 25 ]
	smi --json >"$WORK/json"
	diff <(jq -S '.devices[0] | keys' "$WORK/json") <(get /api/v1/snapshot | jq -S '.devices[0] | keys')
}

@test "--expect, groups and a machine without a driver" {
	mkdir -p "$D/sys"
	serve --expect 4
	metrics
	grep -qx 'ttsmi_devices 0' "$WORK/metrics"
	grep -qx 'ttsmi_devices_expected 4' "$WORK/metrics"
	not grep -q ttsmi_device_up "$WORK/metrics"
	rmdir "$D/sys"
	start -b n150
	eventually has '^ttsmi_devices 1$'
	serve --no-collect power --no-collect pcie --collect pcie
	eventually has ttsmi_pcie_received_bytes_total
	eventually has ttsmi_temperature_celsius
	not grep -q 'ttsmi_power\|ttsmi_energy\|ttsmi_devices_expected' "$WORK/metrics"
}
