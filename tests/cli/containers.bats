#!/usr/bin/env bats
# TT-Metal's counters of real processes: in real containers, of other users, of all clocks.

load helpers
load stage

SCENARIOS=containers

needs_runc() {
	command -v runc >/dev/null || skip "no runc here"
	[ -x /bin/busybox ] || skip "no static busybox here"
}

# play NAME: another user is needed, and the right to look into containers.
play() {
	[ "$(id -u)" = 0 ] || skip "not root: no other user to be, no container to look into"
	scenario "$1" --driver 2.4.0 --no-workloads
}

@test "two containers with one /dev/shm and the same pid: each has its own memory" {
	needs_runc
	play shared_shm
}

@test "two such containers on one card: unknown, since nothing tells them apart" {
	needs_runc
	play same_card
}

@test "a container with a /dev/shm of its own" {
	needs_runc
	play own_shm
}

@test "a container without a /dev/shm" {
	needs_runc
	play without_shm
}

@test "several holders in one container: it is visited once" {
	needs_runc
	[ -z "${TT_INSTRUMENTED:-}" ] || skip "built with $TT_INSTRUMENTED, which does not like to be traced"
	command -v strace >/dev/null || skip "no strace here"
	strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
	play two_holders
}

@test "links, pipes and devices in a container's /dev/shm are left alone" {
	needs_runc
	play odd_files
}

@test "the allocation server tells every user what is in containers" {
	needs_runc
	play served
}

@test "a telemetry collector in a container makes no memory unknown" {
	needs_runc
	play collector
}

@test "a /dev/shm that never answers costs its own processes only" {
	play mute
}

@test "a file of another user does not count" {
	play forged
}

@test "nor does utilisation that another user publishes" {
	play forged_util
}

@test "utilisation published under UMD's ids, of both chips of an n300" {
	[ "$(id -u)" = 0 ] || skip "not root: no other user to be"
	scenario umd_util --driver 2.4.0 --no-workloads -b 5x-,n300,-,n150
}

@test "slots stamped with the wall clock and with the monotonic one" {
	play clocks
}

@test "a file whose name is no chip's goes by its logical number" {
	play numbers
}
