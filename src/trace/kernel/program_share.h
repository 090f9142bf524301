/* For the BPF programs: how many entries of the map `programs` a user has. */
#pragma once

#include "trace/kernel/kernel.h"

static __always_inline struct trace_program_user *share_of(uint32_t uid)
{
	struct trace_program_user fresh = { 0 }, *user = bpf_map_lookup_elem(&program_users, &uid);

	if (user)
		return user;
	bpf_map_update_elem(&program_users, &uid, &fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(&program_users, &uid);
}

/* Gives an entry back. */
static __always_inline void share_return(uint32_t uid)
{
	struct trace_program_user *user = bpf_map_lookup_elem(&program_users, &uid);

	if (user)
		__sync_fetch_and_add(&user->entries, -1);
}

/*
 * Takes an entry. False: the user has as many as one may have, which is noted, since what a process
 * launches without an entry is not counted.
 */
static __always_inline bool share_take(uint32_t uid)
{
	struct trace_program_user *user = share_of(uid);

	if (!user)
		return false;
	if (__sync_fetch_and_add(&user->entries, 1) < PROGRAM_USER_ENTRIES)
		return true;
	__sync_fetch_and_add(&user->entries, -1);
	user->refused_ns = bpf_ktime_get_boot_ns();
	return false;
}
