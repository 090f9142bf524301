#!/usr/bin/env bats
# tt_smi serve: passwords.

load helpers

login() {
	"$PYTHON" "$BATS_TEST_DIRNAME/login.py" "$@"
}

@test "a password is needed for all but the probes; any other one is wrong" {
	start -b n150 --no-workloads
	users alice wonderland
	serve --auth-file "$WORK/users"
	for path in /metrics /api/v1/snapshot /api/v1/stream /nothing; do
		[ "$(status $path -D "$WORK/headers")" = 401 ]
		grep -qi '^www-authenticate: Basic realm="tt_smi", charset="UTF-8"' "$WORK/headers"
		[ "$(status $path -u alice:wonder)" = 401 ]
	done
	[ "$(status /healthz)" = 200 ]
	[ "$(status /readyz)" = 200 ]
	[ "$(status /metrics -u alice:wonderland)" = 200 ]
	grep -q '^ttsmi_devices 1$' "$WORK/answer"
	[ "$(status /nothing -u alice:wonderland)" = 404 ]
	[ "$(status /metrics -u bob:wonderland)" = 401 ]
	[ "$(status /metrics -u alice:)" = 401 ]
	[ "$(status /metrics -H 'Authorization: Basic !!!')" = 401 ]
	[ "$(status /metrics -H 'Authorization: Bearer wonderland')" = 401 ]
	[ "$(status /metrics -u alice:wonderland -H 'Host: rebound.example.com')" = 421 ]
	TT_LOGIN=alice:wonderland client follow "$PORT"
	end_server
	not grep -v 'serving http' "$WORK/log"
}

@test "SIGHUP reads the users again, and a bad file changes nothing" {
	start -b n150 --no-workloads
	users alice wonderland
	serve --auth-file "$WORK/users"
	[ "$(status /metrics -u alice:wonderland)" = 200 ]
	echo 'bob:secret' >"$WORK/users"
	kill -HUP "$SERVER"
	eventually grep -q "users:1: not a hash of bcrypt; use: htpasswd -B; still using the previous users" "$WORK/log"
	[ "$(status /metrics -u alice:wonderland)" = 200 ]
	rm "$WORK/users"
	kill -HUP "$SERVER"
	eventually grep -q "users: No such file or directory; still using the previous users" "$WORK/log"
	[ "$(status /metrics -u alice:wonderland)" = 200 ]
	users alice rabbit # verified passwords are forgotten too
	kill -HUP "$SERVER"
	eventually grep -q "users: reloaded" "$WORK/log"
	[ "$(status /metrics -u alice:wonderland)" = 401 ]
	[ "$(status /metrics -u alice:rabbit)" = 200 ]
	end_server
}

@test "wrong passwords of one address are rate-limited; others and correct ones are not" {
	start -b n150 --no-workloads
	users alice wonderland
	serve --auth-file "$WORK/users"
	[ "$(status /metrics -u alice:wonderland)" = 200 ]
	[ "$(login guess "$PORT" alice | cut -d' ' -f2)" = 429 ]
	[ "$(status /metrics -u alice:wonderland)" = 200 ]
	[ "$(status /metrics -u alice:wonder --interface 127.0.0.7)" = 401 ]
	[ "$(grep -c '127.0.0.1:[0-9]*: too many wrong passwords; further attempts have to wait' "$WORK/log")" = 1 ]
}

reloads() { # NUMBER
	[ "$(grep -c 'users: reloaded' "$WORK/log")" = "$1" ]
}

turned_away() {
	[ "$(status /metrics -u alice:wonderland)" = 429 ]
}

@test "wrong passwords of its address do not lock out a client after a reload" {
	start -b n150 --no-workloads
	users alice wonderland
	serve --auth-file "$WORK/users"
	[ "$(status /metrics -u alice:wonderland)" = 200 ]
	[ "$(login guess "$PORT" alice | cut -d' ' -f2)" = 429 ]
	kill -HUP "$SERVER"
	eventually reloads 1
	[ "$(status /metrics -u alice:wonderland)" = 200 ]
	users alice rabbit
	kill -HUP "$SERVER"
	eventually reloads 2
	[ "$(status /metrics -u alice:wonderland)" = 401 ] # once: then it is a guess like any other
	eventually turned_away
}

# Each wrong password takes a large part of a second of CPU time, in a thread of its own.
@test "a flood of wrong passwords delays no scrape" {
	start -b n150 --no-workloads
	users alice wonderland 12
	serve --auth-file "$WORK/users"
	login flood "$PORT" alice wonderland
	end_server # while passwords are being verified
	not grep -v 'serving http' "$WORK/log"
}

@test "files of users that cannot be used are named, with the reason" {
	start -b n150 --no-workloads
	expect_error 1 "$WORK/none: No such file or directory" serve --listen 127.0.0.1:0 --auth-file "$WORK/none"
	expect_error 1 "$WORK: not a regular file" serve --listen 127.0.0.1:0 --auth-file "$WORK"
	mkfifo "$WORK/fifo"
	expect_error 1 "$WORK/fifo: not a regular file" serve --listen 127.0.0.1:0 --auth-file "$WORK/fifo"
	users alice wonderland
	chmod 666 "$WORK/users"
	expect_error 1 "$WORK/users: every user may change it; restrict it with: chmod 640" serve --listen 127.0.0.1:0 --auth-file "$WORK/users"
	chmod 660 "$WORK/users"
	expect_error 1 "$WORK/users: its group may change it" serve --listen 127.0.0.1:0 --auth-file "$WORK/users"
	chmod 640 "$WORK/users"
	htpasswd -im "$WORK/users" bob <<<x 2>/dev/null
	expect_error 1 "$WORK/users:2: not a hash of bcrypt; use: htpasswd -B" serve --listen 127.0.0.1:0 --auth-file "$WORK/users"
}
