#!/usr/bin/env bats
# TT-Metal's counters of real processes: in real containers, of other users, of all clocks.

load helpers

setup() {
	# Not below /dev, which the stage replaces.
	WORK=$(TMPDIR=/tmp mktemp -d)
	D=$WORK/stage
	SIM=
	STARTED=
	mkdir "$D"
	chmod 755 "$WORK"
	[ "$(id -u)" = 0 ] || skip "not root: no other user to be, no container to look into"
	needs_mounts
	cp "$TT_SMI" "$WORK/tt_smi" # where any user may run it
}

needs_runc() {
	command -v runc >/dev/null || skip "no runc here"
	[ -x /bin/busybox ] || skip "no static busybox here"
}

scenario() {
	run private "$HERE/stage.sh" "$D" "$TTSIM" --driver 2.4.0 --no-workloads -- \
		python3 "$HERE/containers.py" "$1" "$WORK/tt_smi" 3>&-
	echo "$output"
	if [[ "$output" = *SKIP:* ]]; then skip "${output#*SKIP: }"; fi
	[ "$status" = 0 ]
}

@test "two containers with one /dev/shm and the same pid: each has its own memory" {
	needs_runc
	scenario shared_shm
}

@test "two such containers on one card: unknown, since nothing tells them apart" {
	needs_runc
	scenario same_card
}

@test "a container with a /dev/shm of its own" {
	needs_runc
	scenario own_shm
}

@test "links, pipes and devices in a container's /dev/shm are left alone" {
	needs_runc
	scenario odd_files
}

@test "the allocation server tells every user what is in containers" {
	needs_runc
	scenario served
}

@test "a /dev/shm that never answers costs its own processes only" {
	scenario mute
}

@test "a file of another user does not count" {
	scenario forged
}

@test "nor does utilisation that another user publishes" {
	scenario forged_util
}

@test "slots stamped with the wall clock and with the monotonic one" {
	scenario clocks
}

@test "a file whose name is no chip's goes by its logical number" {
	scenario numbers
}
