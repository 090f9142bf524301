/*
 * For the BPF programs only: processes and their buffers, counted.
 *
 * Every figure is changed by one atomic addition, and only by who put a buffer into
 * the map or took it out: two threads that free the same one do it once.
 */
#pragma once

#include "trace/kernel/kernel.h"

#include <linux/errno.h>

static __always_inline void process_flag(struct trace_process *process, uint32_t flag)
{
	__sync_fetch_and_or(&process->flags, flag);
}

/*
 * To the figures of each of these chips. To take away, add the negative: it wraps.
 * The barrier keeps the compiler from computing with a type that is not yet checked.
 * Not static: the kernel then verifies it once and not for every call, which makes
 * loading five times as fast.
 */
__weak __noinline int chips_add(struct trace_process *process, uint64_t chips, uint32_t type,
				uint64_t size, uint64_t buffers)
{
	if (!process || type >= METAL_TYPES)
		return 0;
	barrier_var(type);
	for (unsigned i = 0; i < TRACE_CHIPS && chips >> i; i++) {
		if (!(chips >> i & 1))
			continue;
		__sync_fetch_and_add(&process->chip[i].bytes[type], size);
		__sync_fetch_and_add(&process->chip[i].buffers, buffers);
	}
	return 0;
}

/*
 * How many buffers of an allocator there are, or a little more: allocators can share a
 * count. Where it is 0, the walk over all buffers of all processes is spared.
 */
static __always_inline uint32_t *held_by(struct trace_process *process, uint64_t allocator)
{
	return &process->held[(allocator ^ allocator >> 6 ^ allocator >> 12) % TRACE_SLOTS];
}

static __always_inline void buffer_give(struct trace_process *process, const struct trace_buffer *b)
{
	__sync_fetch_and_add(held_by(process, b->allocator), 1);
	__sync_fetch_and_or(&process->chips, b->chips);
	chips_add(process, b->chips, b->type, b->size, 1);
}

/*
 * Into the map, not yet into the figures: 0 or -errno. Before Linux 6.4 a map tells errors
 * by an int, whose sign does not reach the upper half of the register: only the lower
 * half can be compared.
 */
static __always_inline int buffer_add(struct trace_process *process, const struct trace_key *key,
				      const struct trace_buffer *b)
{
	int r = (int)bpf_map_update_elem(&live, key, b, BPF_NOEXIST);

	if (r == 0)
		__sync_fetch_and_add(&process->entries, 1);
	return r;
}

/* Out of the map, and of the figures. */
static __always_inline void buffer_take(struct trace_process *process, struct trace_key *key,
					const struct trace_buffer *found)
{
	struct trace_buffer b = *found;
	int r;

	r = (int)bpf_map_delete_elem(&live, key);
	if (r == -ENOENT)
		return; /* somebody else did */
	if (r != 0) {
		process_flag(process, TRACE_MISSED_FREE); /* a lock that is not to be had */
		return;
	}
	__sync_fetch_and_add(&process->entries, -1);
	if (b.flags & TRACE_BUFFER_TOMB || b.start != process->start)
		return;
	__sync_fetch_and_add(held_by(process, b.allocator), -1);
	chips_add(process, b.chips, b.type, -b.size, -1);
}

/* Which buffers a sweep takes. */
struct sweep {
	uint64_t allocator; /* 0: of any */
	uint32_t tgid;
	uint32_t taken;
};

static __always_inline bool sweep_is_due(struct trace_process *process, uint64_t allocator)
{
	return allocator ? *held_by(process, allocator) : process->entries;
}

static long sweep_one(struct bpf_map *map, struct trace_key *key, struct trace_buffer *b,
		      struct sweep *sweep)
{
	struct trace_process *process;
	struct trace_key copy;
	uint32_t tgid = sweep->tgid;

	(void)map;
	if (key->tgid != tgid || (sweep->allocator && b->allocator != sweep->allocator))
		return 0;
	process = bpf_map_lookup_elem(&processes, &tgid);
	if (!process)
		return 1;
	copy = *key;
	buffer_take(process, &copy, b);
	sweep->taken++;
	return !sweep_is_due(process, sweep->allocator);
}

/*
 * The walk does not lock the map. An entry that is taken out may be in use again at
 * once, in another chain, and the walk then goes astray: so until it finds nothing.
 */
static __always_inline void sweep_buffers(struct trace_process *process, uint32_t tgid,
					  uint64_t allocator)
{
	struct sweep sweep = { .allocator = allocator, .tgid = tgid };

	for (int i = 0; i < 4 && sweep_is_due(process, allocator); i++) {
		sweep.taken = 0;
		bpf_for_each_map_elem(&live, sweep_one, &sweep, 0);
		if (!sweep.taken)
			break;
	}
}

static long sweep_allocator(struct bpf_map *map, struct trace_key *key, struct trace_allocator *a,
			    uint32_t *tgid)
{
	struct trace_key copy = *key;

	(void)map;
	(void)a;
	if (copy.tgid == *tgid)
		bpf_map_delete_elem(&allocators, &copy);
	return 0;
}

/* All that is known of a process; it may begin anew. */
static __always_inline void process_forget(uint32_t tgid)
{
	struct trace_process *process = bpf_map_lookup_elem(&processes, &tgid);

	if (!process)
		return;
	sweep_buffers(process, tgid, 0);
	if (process->flags & TRACE_SINCE_ATTACH)
		bpf_for_each_map_elem(&allocators, sweep_allocator, &tgid, 0);
	bpf_map_delete_elem(&processes, &tgid);
}

/* A new entry, as its start says last: who reads it before passes it over. */
static __always_inline struct trace_process *process_add(uint32_t tgid)
{
	struct trace_process *empty;
	uint32_t zero = 0;

	empty = bpf_map_lookup_elem(&blank, &zero);
	if (!empty)
		return NULL;
	bpf_map_update_elem(&processes, &tgid, empty, BPF_NOEXIST);
	return bpf_map_lookup_elem(&processes, &tgid);
}
