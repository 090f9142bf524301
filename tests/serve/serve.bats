#!/usr/bin/env bats
# tt_smi serve on simulated machines: formats, values, faults, clients that misbehave, a real Prometheus.

load ../cli/helpers

SERVER=
PYTHON=/usr/bin/python3 # the one that Debian's python3-prometheus-client is for
export PYTHONDONTWRITEBYTECODE=1

# serve [OPTIONS]: on the machine at $D; returns when it has a sample, with its port in $PORT.
serve() {
	"$TT_SMI" serve --root "$D" --listen 127.0.0.1:0 "$@" 2>"$WORK/log" 3>&- &
	SERVER=$!
	STARTED="$STARTED $SERVER"
	eventually grep -q 'serving http' "$WORK/log"
	PORT=$(sed -n 's,.*http://127.0.0.1:\([0-9]*\)/.*,\1,p' "$WORK/log")
	eventually get /readyz -o "$WORK/ready"
}

# Ends it, and takes its status.
end_server() {
	kill "$SERVER"
	wait "$SERVER"
	STARTED=
}

get() { # PATH [OPTIONS OF CURL]
	local path=$1
	shift
	curl -sS --fail --max-time 60 "$@" "http://127.0.0.1:$PORT$path" 2>>"$WORK/curl"
}

# metrics [OPTIONS]: into $WORK/metrics.
metrics() {
	get /metrics "$@" >"$WORK/metrics"
}

# status PATH [OPTIONS]: the status of the answer.
status() {
	local path=$1
	shift
	curl -sS -o "$WORK/answer" -w '%{http_code}' --max-time 60 "$@" "http://127.0.0.1:$PORT$path"
}

has() { # PATTERN
	metrics && grep -q "$1" "$WORK/metrics"
}

lacks() { # PATTERN
	metrics && not grep -q "$1" "$WORK/metrics"
}

client() {
	"$PYTHON" "$BATS_TEST_DIRNAME/client.py" "$@"
}

# Both formats, while no read of a device was late.
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
	not grep -q 'numa_node="-1"' "$WORK/metrics" # the kernel's word for none
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

# Two answers, maybe of two samples, that have the same series.
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
	serve
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

# The first call of the server is in the file, or strace has given up.
eventually_traced() {
	local i
	for i in $(seq 3000); do
		[ ! -s "$WORK/calls" ] || return 0
		[ ! -s "$WORK/strace" ] || return 1
		metrics
		sleep 0.02
	done
	return 1
}

@test "requests for other names, other methods and other pages are refused" {
	start -b n150 --no-workloads
	serve --host node1.example.org
	[ "$(status /metrics)" = 200 ]
	[ "$(status /metrics -H 'Host: node1.example.org:80')" = 200 ]
	[ "$(status /metrics -H 'Host: localhost')" = 200 ]
	[ "$(status /metrics -H 'Host: rebound.example.com')" = 421 ]
	[ "$(status /api/v1/snapshot -H "Host: rebound.example.com:$PORT")" = 421 ]
	[ "$(status /metrics -X POST -d x=1)" = 405 ]
	[ "$(status /metrics -X DELETE)" = 405 ]
	[ "$(status /metrics -X GET -d x=1)" = 413 ]
	[ "$(status /etc/passwd)" = 404 ]
	[ "$(status /../../etc/passwd --path-as-is)" = 404 ]
	[ "$(status /metrics --head)" = 200 ]
	[ "$(status /healthz)" = 200 ]
	curl -sS -D "$WORK/headers" -o "$WORK/answer" -H 'Origin: http://evil.example' "http://127.0.0.1:$PORT/metrics"
	grep -qi "^content-security-policy: default-src 'none'" "$WORK/headers"
	grep -qi '^x-content-type-options: nosniff' "$WORK/headers"
	not grep -qi '^access-control' "$WORK/headers"
}

# A client that is not on loopback: in a network namespace, whose other end the server has.
@test "users and commands are for clients on this machine only" {
	start -b n150 --no-workloads
	PORT=$(client port)
	unshare -Urn true 2>/dev/null || skip "user $(id -u) gets no network namespace"
	cat >"$WORK/inside" <<-END
		ip link set lo up && ip addr add 192.0.2.1/32 dev lo || exit 77
		"$TT_SMI" serve --root "$D" --listen 192.0.2.1:$PORT 2>"$WORK/log" & server=\$!
		for i in \$(seq 3000); do
			curl -s -f -o "$WORK/ready" http://192.0.2.1:$PORT/readyz && break
			sleep 0.02
		done
		curl -s -o "$WORK/1" -w '%{http_code} ' http://192.0.2.1:$PORT/metrics
		curl -s -o "$WORK/2" -w '%{http_code} ' http://192.0.2.1:$PORT/api/v1/snapshot
		curl -s -o "$WORK/3" -w '%{http_code}' http://192.0.2.1:$PORT/api/v1/stream
		kill \$server; wait \$server
	END
	command -v ip >/dev/null || skip "ip (package iproute2) is not installed"
	run unshare -Urn sh "$WORK/inside" 3>&-
	echo "$output"
	[ "$output" = "200 403 403" ]
}

@test "a client that sends its request slowly is hung up, others are served" {
	start -b n150 --no-workloads
	serve
	client slow "$PORT"
	metrics
}

@test "huge requests and a thousand connections end where their limits are" {
	start -b n150 --no-workloads
	serve
	client huge "$PORT"
	served=$(client crowd "$PORT")
	echo "$served of 1000 connections were served"
	[ "$served" -ge 1 ] && [ "$served" -le 64 ]
	metrics
	end_server
	not grep -v 'serving http' "$WORK/log"
}

@test "usage errors, and an address that is in use" {
	start -b n150 --no-workloads
	serve
	expect_error 1 "cannot listen on 127.0.0.1:$PORT: Address already in use" serve --listen "127.0.0.1:$PORT"
	expect_error 2 '--listen: "localhost:80" is not ADDR:PORT' serve --listen localhost:80
	expect_error 2 '--collect: "gddr" is not device, thermal' serve --collect gddr
	expect_error 2 '--expect' serve --expect 0
	end_server
}

@test "a stream has a document for each sample; there is a limit, and streams that ended do not count" {
	start -b n150
	serve
	[ "$(client streams "$PORT")" = "32 503" ]
	eventually client follow "$PORT"
	metrics
	[ "$(status /api/v1/stream --head)" = 200 ]
	end_server
	not grep -v 'serving http' "$WORK/log"
}

@test "a stream that is not read skips samples, and costs no memory" {
	start -b galaxy-wormhole
	serve
	growth=$(client skip "$PORT" "$SERVER")
	echo "$growth KB more"
	[ -n "$TT_SANITIZE" ] || [ "$growth" -lt 8192 ]
	metrics
}

# activated KIND: started with sockets as systemd gives them, which --listen does not replace.
activated() {
	exec "$PYTHON" "$BATS_TEST_DIRNAME/client.py" activate "$1" "$TT_SMI" serve --root "$D" --listen 127.0.0.1:1
}

@test "it serves the socket that systemd gives it, and no other kind" {
	start -b n150 --no-workloads
	activated tcp >"$WORK/port" 2>"$WORK/log" 3>&- &
	SERVER=$!
	STARTED="$STARTED $SERVER"
	eventually test -s "$WORK/port"
	PORT=$(cat "$WORK/port")
	eventually get /readyz -o "$WORK/ready"
	has '^ttsmi_devices 1$'
	grep -q "serving http://127.0.0.1:$PORT/metrics" "$WORK/log"
	end_server
	for kind in udp unix; do
		run activated "$kind" 3>&-
		echo "$output"
		[ "$status" = 1 ]
		[[ $output == *"the socket given by systemd cannot be used: it does not listen for TCP connections"* ]]
	done
	run activated two 3>&-
	[ "$status" = 1 ] && [[ $output == *"systemd gave 2 sockets; one is served"* ]]
}

@test "IPv6" {
	start -b n150 --no-workloads
	"$PYTHON" -c 'import socket; socket.create_server(("::1", 0), family=socket.AF_INET6)' 2>/dev/null ||
		skip "no IPv6 loopback here"
	"$TT_SMI" serve --root "$D" --listen '[::1]:0' 2>"$WORK/log" 3>&- &
	STARTED=$!
	eventually grep -q 'serving http' "$WORK/log"
	PORT=$(sed -n 's,.*http://\[::1\]:\([0-9]*\)/.*,\1,p' "$WORK/log")
	eventually curl -sS -f -g -o "$WORK/metrics" "http://[::1]:$PORT/metrics"
	grep -q '^ttsmi_device_up{' "$WORK/metrics"
	curl -sS -f -g -o "$WORK/json" "http://[::1]:$PORT/api/v1/snapshot"
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
	# It understood the types.
	curl -sS "http://$prometheus/api/v1/metadata?metric=ttsmi_energy_joules" >"$WORK/metadata"
	[ "$(jq -r '.data.ttsmi_energy_joules[0] | .type + " " + .unit' "$WORK/metadata")" = "counter joules" ]
}

answers() { # QUERY NUMBER
	[ "$(curl -sS -G --data-urlencode "query=$1" "http://$prometheus/api/v1/query" 2>/dev/null |
		jq -r '.data.result[0].value[1]' 2>/dev/null)" = "$2" ]
}

# An address of its own: the port is free there, whatever others do meanwhile.
own_address() {
	echo "127.$((1 + RANDOM % 250)).$((RANDOM % 250)).$((1 + RANDOM % 250)):$(client port)"
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

# The shipped rules, with no waiting: a fault of the simulated chip is to reach the receiver.
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
