#!/usr/bin/env bats
# TT-Metal's counters of real processes: in containers, of other users, with times of either clock.

load helpers
load stage

SCENARIOS=containers

needs_runc() {
	command -v runc >/dev/null || skip "no runc here"
	[ -x /bin/busybox ] || skip "no static busybox here"
}

# play NAME: runs a scenario of containers.py. Needs root, to be another user and to inspect containers.
play() {
	[ "$(id -u)" = 0 ] || skip "not root: no other user to be, no container to look into"
	scenario "$1" --driver 2.4.0 --no-workloads
}

@test "two containers with one /dev/shm and the same pid: each has its own memory" {
	needs_runc
	play shared_shm
}

@test "two such containers on one card: unknown, since they cannot be distinguished" {
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

@test "links, pipes and devices in a container's /dev/shm are ignored" {
	needs_runc
	play odd_files
}

@test "the allocation server shows memory of containers to every user" {
	needs_runc
	play served
}

@test "a telemetry collector in a container makes no memory unknown" {
	needs_runc
	play collector
}

@test "a /dev/shm that blocks affects only its own processes" {
	play blocked_shm
}

@test "a file of another user does not count" {
	play forged
}

@test "utilisation published by another user does not count" {
	play forged_util
}

@test "utilisation published under UMD's ids, of both chips of an n300" {
	[ "$(id -u)" = 0 ] || skip "not root: no other user to be"
	scenario umd_util --driver 2.4.0 --no-workloads -b 5x-,n300,-,n150
}

@test "slots stamped with the wall clock and with the monotonic one" {
	play clocks
}

@test "a file without a chip's id is matched by its logical number" {
	play numbers
}

@test "a container of a pod has the names of kubelet's links" {
	needs_runc
	play pods
}

@test "devices that are prepared for claims of Kubernetes" {
	play claimed
}

@test "name and user of a Slurm job, for its own user and from the server" {
	play slurm_names
}
