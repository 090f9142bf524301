#!/usr/bin/env bats
# Tests in a mount namespace, where the driver's files are at their true paths, with real processes
# that have real descriptors.

load helpers
load stage

# The kernel's pids are those of the initial namespace, and another user is needed.
needs_root_namespace() {
	[ "$(readlink /proc/self/ns/pid)" = 'pid:[4026531836]' ] ||
		skip "not in the initial pid namespace: pinned files list no process here"
	[ "$(id -u)" = 0 ] || skip "not root: no other user to be"
}

@test "a driver without pids: holders are found by device number" {
	scenario by_number --driver 2.4.0 --no-workloads
}

@test "a driver with pids: each process on the devices it has open, all of them" {
	scenario listed --no-workloads
}

@test "a listed parent that exited: the child is found" {
	scenario dead_parent --no-workloads
}

@test "a listed opener that exited, and no other holder is found" {
	scenario orphan --no-workloads
}

@test "an unrelated process with a reused pid is not listed" {
	scenario unrelated --no-workloads
}

@test "a device that is closed but mapped is in use" {
	scenario mapped --no-workloads
}

@test "a deleted node is not the current one with its number" {
	[ "$(id -u)" = 0 ] || skip "device nodes can only be made by root"
	scenario deleted --driver 2.4.0 --no-workloads
}

@test "tt_smi never lists itself, with an inherited descriptor and by the driver's list" {
	scenario own --driver 2.4.0 --no-workloads
}

@test "a process in a pid namespace: its numbers, and its memory by the inner one" {
	scenario pid_namespace -w dev=5,dram=1G,name=python3
}

@test "a reader in a pid namespace: a process outside has it open" {
	scenario reader_inside -w dev=5,dram=1G,name=python3
}

@test "a reader in a pid namespace, and a driver without pids: unknown" {
	scenario reader_blind --driver 2.4.0 --no-workloads
}

@test "another user's process: listed, its memory unknown and not 0" {
	[ "$(id -u)" = 0 ] || skip "only root can become another user"
	scenario not_ours -w dev=5,dram=1G,name=python3
}

@test "the kernel's list of descriptors, without a driver's list and without permissions" {
	needs_root_namespace
	scenario pinned --no-workloads
}

@test "a descriptor that was inherited while its opener runs" {
	needs_root_namespace
	scenario inherited --no-workloads
}

@test "memory that the kernel counts, for every user" {
	needs_root_namespace
	scenario traced --no-workloads
}

@test "devices that TT_VISIBLE_DEVICES leaves to a process, by the release it has mapped" {
	needs_root_namespace
	scenario visible --no-workloads -b 5x-,n150,-,n150
}

@test "doctor examines real processes, with and without TT-Metal" {
	[ -e "${METAL_DOUBLE:-}/v62/libtt_metal.so" ] || skip "no test double of TT-Metal here: built without it"
	scenario diagnosed --no-workloads
}

@test "doctor reports which users may use the nodes" {
	[ "$(id -u)" = 0 ] || skip "device nodes can only be made by root"
	scenario nodes --no-workloads
}

@test "start, running time and CPU of real processes" {
	scenario started_at --no-workloads
}

@test "at the real paths nothing is marked as simulated" {
	scenario labels --no-workloads
}

# role NAME: runs a scenario of roles.py, which needs root and other users.
role() {
	[ "$(id -u)" = 0 ] || skip "not root: no program of root's, and no other user to be"
	SCENARIOS=roles scenario "$1" --no-workloads
}

@test "a telemetry collector of root, or of a service's user, is a monitor" {
	role collector
}

@test "TT-Metal in a program with a monitor's name is a job" {
	[ -e "${METAL_DOUBLE:-}/v62/libtt_metal.so" ] || skip "no test double of TT-Metal here: built without it"
	role metal
}

@test "a script with a monitor's name is a monitor if root runs it" {
	role script
}

@test "a user's program with a monitor's name is a job" {
	role namesakes
}

@test "root's program under a name that a user gave it is a job" {
	role renamed
}

@test "root's program with a user's code in it is a job" {
	role injected
}

@test "a monitor that becomes another program is a job" {
	role executed
}

@test "a monitor whose file was replaced" {
	role replaced
}

@test "the server reports roles to users who may not inspect processes" {
	cp "${TT_SMI%/*}/tt_allocd" "$WORK/"
	role served
}

@test "names in /etc/tt-smi/monitors count if only root may write them" {
	role listed_names
}
