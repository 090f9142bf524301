#!/usr/bin/env bats
# tt_smi serve: requests that are refused, and addresses on which it listens.

load helpers

# two_hosts NAME NAME: the status of the answer to a request with two headers Host; curl sends one only.
two_hosts() {
	exec 9<>"/dev/tcp/127.0.0.1/$PORT"
	printf 'GET /metrics HTTP/1.1\r\nHost: %s\r\nHost: %s\r\nConnection: close\r\n\r\n' "$@" >&9
	sed -n '1s/HTTP[^ ]* \([0-9]*\).*/\1/p' <&9
	exec 9>&-
}

@test "requests for other names, other methods and other pages are refused" {
	start -b n150 --no-workloads
	serve --host node1.example.org
	[ "$(status /metrics)" = 200 ]
	[ "$(status /metrics -H 'Host: node1.example.org:80')" = 200 ]
	[ "$(status /metrics -H 'Host: localhost')" = 200 ]
	[ "$(status /metrics -H 'Host: rebound.example.com')" = 421 ]
	[ "$(status /api/v1/snapshot -H "Host: rebound.example.com:$PORT")" = 421 ]
	[ "$(two_hosts localhost rebound.example.com)" = 400 ]
	[ "$(two_hosts localhost localhost)" = 400 ]
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

@test "usage errors, and an address that is in use" {
	start -b n150 --no-workloads
	serve
	expect_error 1 "cannot listen on 127.0.0.1:$PORT: Address already in use" serve --listen "127.0.0.1:$PORT"
	expect_error 2 '--listen: "localhost:80" is not ADDR:PORT' serve --listen localhost:80
	expect_error 2 '--collect: "gddr" is not device, thermal' serve --collect gddr
	expect_error 2 '--expect' serve --expect 0
	end_server
}

# activated KIND: executes the server with sockets like systemd; --listen is then ignored.
activated() {
	exec "$PYTHON" "$BATS_TEST_DIRNAME/client.py" activate "$1" "$TT_SMI" serve --root "$D" --listen 127.0.0.1:1
}

@test "it serves a TCP socket that systemd passes, and no other kind" {
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
		[[ $output == *"cannot use the socket that systemd passed: it does not listen for TCP connections"* ]]
	done
	run activated two 3>&-
	[ "$status" = 1 ] && [[ $output == *"systemd passed 2 sockets; only one is supported"* ]]
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

@test "SIGHUP does not end a server that has nothing to reload" {
	start -b n150 --no-workloads
	serve
	kill -HUP "$SERVER"
	[ "$(status /healthz)" = 200 ]
	end_server
	not grep -v 'serving http' "$WORK/log"
}

# A value that cannot be read is not 0, so no scrape may succeed: up is then 0, and an alert fires.
@test "a machine whose devices cannot be listed is not ready, and has no metrics" {
	mkdir -p "$D/sys/class" "$D/proc"
	touch "$D/sys/class/tenstorrent"
	"$TT_SMI" serve --root "$D" --listen 127.0.0.1:0 --expect 4 2>"$WORK/log" 3>&- &
	STARTED=$!
	eventually grep -q 'sys/class/tenstorrent: Not a directory' "$WORK/log"
	PORT=$(sed -n 's,.*http://127.0.0.1:\([0-9]*\)/.*,\1,p' "$WORK/log")
	for path in /metrics /readyz /api/v1/snapshot /api/v1/history; do
		[ "$(status $path)" = 503 ]
		grep -qx 'the devices of this machine cannot be read' "$WORK/answer"
	done
	[ "$(status /healthz)" = 200 ]
	rm "$D/sys/class/tenstorrent"
	eventually has '^ttsmi_devices 0$'
}
