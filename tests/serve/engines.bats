#!/usr/bin/env bats
# tt_smi serve with a real Prometheus, VictoriaMetrics and Alertmanager.

load helpers

answers() { # QUERY NUMBER
	[ "$(curl -sS -G --data-urlencode "query=$1" "http://$prometheus/api/v1/query" 2>/dev/null |
		jq -r '.data.result[0].value[1]' 2>/dev/null)" = "$2" ]
}

# A random loopback address, where other programs do not take the port meanwhile.
own_address() {
	echo "127.$((1 + RANDOM % 250)).$((RANDOM % 250)).$((1 + RANDOM % 250)):$(client port)"
}

@test "a real Prometheus scrapes it" {
	command -v prometheus >/dev/null || skip "prometheus is not installed"
	start -b n300,p150a
	serve --expect 2
	cat >"$WORK/prometheus.yml" <<-END
		global: { scrape_interval: 1s }
		scrape_configs:
		  - job_name: tt_smi
		    static_configs: [ { targets: [ "127.0.0.1:$PORT" ] } ]
	END
	prometheus=$(own_address)
	prometheus --config.file="$WORK/prometheus.yml" --storage.tsdb.path="$WORK/tsdb" \
		--web.listen-address="$prometheus" >"$WORK/prometheus.log" 2>&1 3>&- &
	STARTED="$! $STARTED"
	eventually answers 'sum(ttsmi_device_up)' 2
	eventually answers 'up{job="tt_smi"}' 1
	eventually answers 'ttsmi_devices_expected' 2
	size=$(get /api/v1/snapshot | jq '.devices[-1].memory.total')
	eventually answers 'ttsmi_memory_size_bytes{device="1",pool="dram"}' "$size"
	eventually answers 'count({__name__=~"ttsmi_.*"}) > bool 60' 1
	# Prometheus knows type and unit.
	curl -sS "http://$prometheus/api/v1/metadata?metric=ttsmi_energy_joules" >"$WORK/metadata"
	[ "$(jq -r '.data.ttsmi_energy_joules[0] | .type + " " + .unit' "$WORK/metadata")" = "counter joules" ]
}

@test "a real Prometheus scrapes it over TLS, with a password" {
	command -v prometheus >/dev/null || skip "prometheus is not installed"
	command -v openssl >/dev/null || skip "openssl is not installed"
	start -b n150 --no-workloads
	users prometheus "a pass:word"
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$WORK/tls.key" -out "$WORK/tls.crt" \
		-days 2 -subj /CN=node1 -addext subjectAltName=IP:127.0.0.1 2>/dev/null
	"$TT_SMI" serve --root "$D" --listen 127.0.0.1:0 --tls-cert "$WORK/tls.crt" --tls-key "$WORK/tls.key" \
		--auth-file "$WORK/users" 2>"$WORK/log" 3>&- &
	STARTED="$! $STARTED"
	eventually grep -q 'serving https' "$WORK/log"
	PORT=$(sed -n 's,.*https://127.0.0.1:\([0-9]*\)/.*,\1,p' "$WORK/log")
	cat >"$WORK/prometheus.yml" <<-END
		global: { scrape_interval: 1s }
		scrape_configs:
		  - job_name: right
		    scheme: https
		    tls_config: { ca_file: "$WORK/tls.crt" }
		    basic_auth: { username: prometheus, password: "a pass:word" }
		    static_configs: [ { targets: [ "127.0.0.1:$PORT" ] } ]
		  - job_name: wrong
		    scheme: https
		    tls_config: { ca_file: "$WORK/tls.crt" }
		    basic_auth: { username: prometheus, password: "password" }
		    static_configs: [ { targets: [ "127.0.0.1:$PORT" ] } ]
	END
	prometheus=$(own_address)
	prometheus --config.file="$WORK/prometheus.yml" --storage.tsdb.path="$WORK/tsdb" \
		--web.listen-address="$prometheus" >"$WORK/prometheus.log" 2>&1 3>&- &
	STARTED="$! $STARTED"
	eventually answers 'ttsmi_device_up{job="right"}' 1
	eventually answers 'up{job="wrong"}' 0
	# Wrong passwords, once a second and from the same address, do not delay scrapes with the right one.
	eventually answers 'min_over_time(up{job="right"}[5s])' 1
	[ "$(wc -l <"$WORK/log")" -le 2 ]
}

@test "a real VictoriaMetrics scrapes it" {
	command -v victoria-metrics >/dev/null || skip "victoria-metrics is not installed"
	start -b n300,p150a
	serve --expect 2
	cat >"$WORK/scrape.yml" <<-END
		global: { scrape_interval: 1s }
		scrape_configs:
		  - job_name: tt_smi
		    static_configs: [ { targets: [ "127.0.0.1:$PORT" ] } ]
	END
	prometheus=$(own_address)
	victoria-metrics -promscrape.config="$WORK/scrape.yml" -storageDataPath="$WORK/vm" -memory.allowedBytes=64MB \
		-httpListenAddr="$prometheus" -search.latencyOffset=0s >"$WORK/vm.log" 2>&1 3>&- &
	STARTED="$! $STARTED"
	eventually answers 'sum(ttsmi_device_up)' 2
	eventually answers 'ttsmi_devices_expected' 2
	size=$(get /api/v1/snapshot | jq '.devices[-1].memory.total')
	eventually answers 'ttsmi_memory_size_bytes{device="1",pool="dram"}' "$size"
}

# With the shipped rules without waiting times, a fault of the simulated chip must reach the receiver.
@test "a real Alertmanager receives the alert of a device that hangs" {
	command -v prometheus >/dev/null || skip "prometheus is not installed"
	command -v prometheus-alertmanager >/dev/null || skip "prometheus-alertmanager is not installed"
	needs_fuse
	start -b n150,p150a --no-workloads --fault hang:0/temp1_input@1000
	serve
	alertmanager=$(own_address) prometheus=$(own_address)
	sed 's/^\( *for:\).*/\1 1s/' "$BATS_TEST_DIRNAME/../../share/prometheus/tt_smi.rules.yml" >"$WORK/rules.yml"
	printf 'route: { receiver: none }\nreceivers: [ { name: none } ]\n' >"$WORK/alertmanager.yml"
	cat >"$WORK/prometheus.yml" <<-END
		global: { scrape_interval: 1s, evaluation_interval: 1s }
		rule_files: [ "$WORK/rules.yml" ]
		alerting: { alertmanagers: [ { static_configs: [ { targets: [ "$alertmanager" ] } ] } ] }
		scrape_configs:
		  - job_name: tt_smi
		    static_configs: [ { targets: [ "127.0.0.1:$PORT" ] } ]
	END
	prometheus-alertmanager --config.file="$WORK/alertmanager.yml" --storage.path="$WORK/am" --cluster.listen-address= \
		--web.listen-address="$alertmanager" >"$WORK/alertmanager.log" 2>&1 3>&- &
	STARTED="$! $STARTED"
	prometheus --config.file="$WORK/prometheus.yml" --storage.tsdb.path="$WORK/tsdb" \
		--web.listen-address="$prometheus" >"$WORK/prometheus.log" 2>&1 3>&- &
	STARTED="$! $STARTED"
	eventually answers 'sum(ttsmi_device_up)' 2
	eventually received '[]'
	next_fault
	eventually received '["0"]'
}

received() { # DEVICES THAT ARE DOWN
	[ "$(curl -sS "http://$alertmanager/api/v2/alerts" 2>/dev/null |
		jq -c '[.[] | select(.labels.alertname == "TenstorrentDeviceDown") | .labels.device] | sort' 2>/dev/null)" = "$1" ]
}
