/*
 * For the BPF programs only: processes and their buffers, counted.
 *
 * Every figure is changed by one atomic addition, and only by who made a buffer live or
 * a tomb: two threads that free the same one do it once.
 *
 * The entry of a buffer that was freed stays, as a tomb. The next buffer at its place,
 * and programs use the same places again, takes it over: an entry that is made and
 * deleted costs half as much as all the rest. Besides, what somebody has read of the
 * process before the free does not come in afterwards. When there are too many tombs,
 * or there is no room, they are taken away.
 */
#pragma once

#include "trace/kernel/kernel.h"

#include <linux/errno.h>

static __always_inline void process_flag(struct trace_process *process, uint32_t flag)
{
	__sync_fetch_and_or(&process->flags, flag);
}

static __always_inline void process_fault(struct trace_process *process, enum trace_fault fault)
{
	process_flag(process, TRACE_FAULT_BIT(fault));
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
	if (b->chips & ~process->chips)
		__sync_fetch_and_or(&process->chips, b->chips);
	chips_add(process, b->chips, b->type, b->size, 1);
}

/* Out of the figures. Who is second finds the tomb. */
static __always_inline void buffer_bury(struct trace_process *process, struct trace_buffer *b)
{
	if (__sync_fetch_and_or(&b->flags, TRACE_BUFFER_TOMB) & TRACE_BUFFER_TOMB ||
	    b->start != process->start)
		return;
	__sync_fetch_and_add(held_by(process, b->allocator), -1);
	chips_add(process, b->chips, b->type, -b->size, -1);
}

/* A walk over all buffers. */
struct sweep {
	uint64_t allocator;
	uint32_t tgid; /* 0: of anybody */
	uint32_t taken;
};

/*
 * Takes a tomb away, unless somebody takes it over. Who is about to come with what was read
 * before it became one is told: see adopt().
 */
static __always_inline void tomb_remove(struct trace_process *process, struct trace_key *key,
					struct trace_buffer *b)
{
	uint32_t flags = b->flags;

	if (!(flags & TRACE_BUFFER_TOMB) || flags & TRACE_BUFFER_BUSY ||
	    __sync_val_compare_and_swap(&b->flags, flags, flags | TRACE_BUFFER_BUSY) != flags)
		return;
	__sync_fetch_and_add(&process->swept, 1);
	if (bpf_map_delete_elem(&live, key) == 0)
		__sync_fetch_and_add(&process->entries, -1);
}

static long sweep_tomb(struct bpf_map *map, struct trace_key *key, struct trace_buffer *b,
		       struct sweep *sweep)
{
	struct trace_process *process;
	struct trace_key copy = *key;

	(void)map;
	if (!(b->flags & TRACE_BUFFER_TOMB) || (sweep->tgid && copy.tgid != sweep->tgid))
		return 0;
	process = bpf_map_lookup_elem(&processes, &copy.tgid);
	if (process)
		tomb_remove(process, &copy, b);
	return 0;
}

/* Entries that one process may have: who floods the table is the one who finds it full. */
static __always_inline uint64_t share(void)
{
	uint32_t zero = 0;
	struct trace_state *whole = bpf_map_lookup_elem(&state, &zero);

	return whole ? whole->share : 0;
}

/*
 * Into the map, not yet into the figures: 0 or -errno. Before Linux 6.4 a map tells errors
 * by an int, whose sign does not reach the upper half of the register: only the lower
 * half can be compared.
 */
static __always_inline int buffer_add(struct trace_process *process, const struct trace_key *key,
				      const struct trace_buffer *b)
{
	struct sweep sweep = { .tgid = key->tgid };
	int r;

	if (process->entries >= process->kept + TRACE_TOMBS || process->entries >= share()) {
		bpf_for_each_map_elem(&live, sweep_tomb, &sweep, 0);
		process->kept = process->entries;
	}
	if (process->entries >= share())
		return -E2BIG;
	r = (int)bpf_map_update_elem(&live, key, b, BPF_NOEXIST);
	if (r == -E2BIG) {
		sweep.tgid = 0;
		bpf_for_each_map_elem(&live, sweep_tomb, &sweep, 0);
		r = (int)bpf_map_update_elem(&live, key, b, BPF_NOEXIST);
	}
	if (r == 0)
		__sync_fetch_and_add(&process->entries, 1);
	return r;
}

static long sweep_one(struct bpf_map *map, struct trace_key *key, struct trace_buffer *b,
		      struct sweep *sweep)
{
	struct trace_process *process;
	uint32_t tgid = sweep->tgid;

	(void)map;
	if (key->tgid != tgid || b->allocator != sweep->allocator || b->flags & TRACE_BUFFER_TOMB)
		return 0;
	process = bpf_map_lookup_elem(&processes, &tgid);
	if (!process)
		return 1;
	buffer_bury(process, b);
	sweep->taken++;
	return !*held_by(process, sweep->allocator);
}

/*
 * The walks do not lock the map. An entry that somebody takes out may be in use again at
 * once, in another chain, and a walk then goes astray: so until it finds nothing.
 */
static __always_inline void sweep_buffers(struct trace_process *process, uint32_t tgid,
					  uint64_t allocator)
{
	struct sweep sweep = { .allocator = allocator, .tgid = tgid };

	for (int i = 0; i < 4 && *held_by(process, allocator); i++) {
		sweep.taken = 0;
		bpf_for_each_map_elem(&live, sweep_one, &sweep, 0);
		if (!sweep.taken)
			break;
	}
}

static long forget_one(struct bpf_map *map, struct trace_key *key, struct trace_buffer *b,
		       struct sweep *sweep)
{
	struct trace_key copy = *key;
	struct trace_process *process;

	(void)map;
	(void)b;
	if (copy.tgid != sweep->tgid)
		return 0;
	process = bpf_map_lookup_elem(&processes, &copy.tgid);
	if (!process)
		return 1;
	if (bpf_map_delete_elem(&live, &copy) == 0)
		__sync_fetch_and_add(&process->entries, -1);
	sweep->taken++;
	return !process->entries;
}

static __always_inline void forget_buffers(struct trace_process *process, uint32_t tgid)
{
	struct sweep sweep = { .tgid = tgid };

	for (int i = 0; i < 4 && process->entries; i++) {
		sweep.taken = 0;
		bpf_for_each_map_elem(&live, forget_one, &sweep, 0);
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
	forget_buffers(process, tgid);
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
