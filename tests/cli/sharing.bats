#!/usr/bin/env bats
# tt_smi wait, select and run --devices: runs that share the devices of a machine.

load helpers

play() {
	alone true 2>/dev/null || skip "no pid namespaces here for user $(id -u)"
	# The shell is the first process of the namespace, and reaps orphans.
	# shellcheck disable=SC2016 # expanded inside
	run alone bash -c 'python3 "$@"; exit $?' - "$HERE/sharing.py" "$1" "$TT_SMI" "$TT_SMI_SIM" "$WORK" 3>&-
	echo "$output"
	[ "$status" = 0 ]
}

@test "select prints the addresses of free devices" {
	play select_names_free_devices
}

@test "an inherited TT_VISIBLE_DEVICES is respected" {
	play an_inherited_restriction_is_respected
}

@test "wait ends when devices are free, or on time-out" {
	play wait_until_devices_are_free
}

@test "run --devices ends as its command does, and gives the devices back" {
	play run_ends_as_its_command
}

@test "signals reach the command of run --devices" {
	play signals_reach_the_command
}

@test "the command of a killed run keeps its devices" {
	play devices_stay_with_the_command_of_a_killed_run
}

@test "runs start in order of arrival, however many devices they want" {
	play runs_start_in_order_of_arrival
}

@test "devices that other programs have open are left to them" {
	play run_respects_programs_that_it_did_not_start
}

@test "locks of processes that do not use the device have no effect" {
	play locks_that_are_not_used_do_not_count
}

@test "a run that waits gives up on a device that is kept unused for a minute" {
	play a_device_kept_unused_is_taken_after_a_minute
}

@test "a run gives back a device that its command does not open within a minute" {
	play an_unused_device_is_given_back_after_a_minute
}

@test "an earlier run of another user keeps unused devices for a minute" {
	[ "$(id -u)" = 0 ] || skip "not root: no other user to be"
	play another_user_in_the_queue_is_passed_after_a_minute
}

@test "claims are found among many other locks" {
	play claims_are_found_among_many_locks
}

@test "two runs take a device at the same moment: one of them withdraws" {
	play of_two_runs_that_take_a_device_at_once_one_withdraws
}

@test "claims of processes that are not visible in the pid namespace count" {
	play claims_of_hidden_processes_count
}

@test "fifty competing runs, some of them killed: no device is used twice" {
	play fifty_runs_and_kills_at_random_moments
}
