/*
 * BPF side: the figures of processes, and the entries of their buffers.
 *
 * Every figure is changed by one atomic addition, in the thread that changed the entry of the
 * buffer from live to tombstone or back. If two threads free the same buffer, it is subtracted
 * once.
 *
 * The entry of a freed buffer stays as a tombstone. Programs reuse addresses, and the next buffer
 * at the same address reuses the entry: creating and deleting entries would cost half as much as
 * everything else together. A tombstone also keeps the tracer from adding a buffer that it read
 * from the memory of the process before the free. Tombstones are removed when there are too many,
 * or when the map is full.
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
 * Adds to the figures of each of these chips. To subtract, add the negative value, which wraps.
 * The barrier keeps the compiler from using the type before it is checked.
 * Not static: the kernel then verifies the function once instead of for every call, which makes
 * loading five times faster.
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
 * An upper bound for the number of live buffers of an allocator, since allocators can share a
 * counter. If it is 0, the iteration over all buffers of all processes can be skipped.
 */
static __always_inline uint32_t *held_by(struct trace_process *process, uint64_t allocator)
{
	return &process->held[(allocator ^ allocator >> 6 ^ allocator >> 12) % TRACE_SLOTS];
}

static __always_inline void buffer_count(struct trace_process *process,
					 const struct trace_buffer *b)
{
	__sync_fetch_and_add(held_by(process, b->allocator), 1);
	if (b->chips & ~process->chips)
		__sync_fetch_and_or(&process->chips, b->chips);
	chips_add(process, b->chips, b->type, b->size, 1);
}

/* Removes a buffer from the figures. If two threads do this, the second finds the tombstone. */
static __always_inline void buffer_free(struct trace_process *process, struct trace_buffer *b)
{
	if (__sync_fetch_and_or(&b->flags, TRACE_BUFFER_TOMBSTONE) & TRACE_BUFFER_TOMBSTONE ||
	    b->start != process->start)
		return;
	__sync_fetch_and_add(held_by(process, b->allocator), -1);
	chips_add(process, b->chips, b->type, -b->size, -1);
}

/* Arguments of an iteration over all buffers. */
struct sweep {
	uint64_t allocator;
	uint32_t tgid; /* 0: of all processes */
	uint32_t removed;
};

/*
 * Deletes a tombstone, unless another thread is reusing it. The counter shows adopt() that the
 * process may have freed a buffer since the tracer read it.
 */
static __always_inline void tombstone_remove(struct trace_process *process, struct trace_key *key,
					     struct trace_buffer *b)
{
	uint32_t flags = b->flags;

	if (!(flags & TRACE_BUFFER_TOMBSTONE) || flags & TRACE_BUFFER_BUSY ||
	    __sync_val_compare_and_swap(&b->flags, flags, flags | TRACE_BUFFER_BUSY) != flags)
		return;
	__sync_fetch_and_add(&process->swept, 1);
	if (bpf_map_delete_elem(&live, key) == 0)
		__sync_fetch_and_add(&process->entries, -1);
}

static long sweep_tombstone(struct bpf_map *map, struct trace_key *key, struct trace_buffer *b,
			    struct sweep *sweep)
{
	struct trace_process *process;
	struct trace_key copy = *key;

	(void)map;
	if (!(b->flags & TRACE_BUFFER_TOMBSTONE) || (sweep->tgid && copy.tgid != sweep->tgid))
		return 0;
	process = bpf_map_lookup_elem(&processes, &copy.tgid);
	if (process)
		tombstone_remove(process, &copy, b);
	return 0;
}

/* Maximum entries of one process, so that none can fill the map alone. */
static __always_inline uint64_t share(void)
{
	uint32_t zero = 0;
	struct trace_state *whole = bpf_map_lookup_elem(&state, &zero);

	return whole ? whole->share : 0;
}

/*
 * Adds a buffer to the map, not to the figures: 0 or -errno. Before Linux 6.4 map functions
 * return an int that is not sign-extended to 64 bits, so only the lower half of the register
 * can be compared.
 */
static __always_inline int buffer_add(struct trace_process *process, const struct trace_key *key,
				      const struct trace_buffer *b)
{
	struct sweep sweep = { .tgid = key->tgid };
	int r;

	if (process->entries >= process->kept + TRACE_TOMBSTONES || process->entries >= share()) {
		bpf_for_each_map_elem(&live, sweep_tombstone, &sweep, 0);
		process->kept = process->entries;
	}
	if (process->entries >= share())
		return -E2BIG;
	r = (int)bpf_map_update_elem(&live, key, b, BPF_NOEXIST);
	if (r == -E2BIG) {
		sweep.tgid = 0;
		bpf_for_each_map_elem(&live, sweep_tombstone, &sweep, 0);
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
	if (key->tgid != tgid || b->allocator != sweep->allocator ||
	    b->flags & TRACE_BUFFER_TOMBSTONE)
		return 0;
	process = bpf_map_lookup_elem(&processes, &tgid);
	if (!process)
		return 1;
	buffer_free(process, b);
	sweep->removed++;
	return !*held_by(process, sweep->allocator);
}

/*
 * The iterations do not lock the map. A deleted entry may be reused at once in another hash chain,
 * and an iteration at that entry then misses others: so it is repeated until it finds nothing.
 */
static __always_inline void sweep_buffers(struct trace_process *process, uint32_t tgid,
					  uint64_t allocator)
{
	struct sweep sweep = { .allocator = allocator, .tgid = tgid };

	for (int i = 0; i < 4 && *held_by(process, allocator); i++) {
		sweep.removed = 0;
		bpf_for_each_map_elem(&live, sweep_one, &sweep, 0);
		if (!sweep.removed)
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
	sweep->removed++;
	return !process->entries;
}

static __always_inline void forget_buffers(struct trace_process *process, uint32_t tgid)
{
	struct sweep sweep = { .tgid = tgid };

	for (int i = 0; i < 4 && process->entries; i++) {
		sweep.removed = 0;
		bpf_for_each_map_elem(&live, forget_one, &sweep, 0);
		if (!sweep.removed)
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

static long sweep_view(struct bpf_map *map, struct trace_key *key, struct trace_view *view,
		       uint32_t *tgid)
{
	struct trace_key copy = *key;

	(void)map;
	(void)view;
	if (copy.tgid == *tgid)
		bpf_map_delete_elem(&views, &copy);
	return 0;
}

/* Deletes everything about a process. Later calls make a new entry. */
static __always_inline void process_forget(uint32_t tgid)
{
	struct trace_process *process = bpf_map_lookup_elem(&processes, &tgid);

	if (!process)
		return;
	forget_buffers(process, tgid);
	if (process->flags & TRACE_SINCE_ATTACH)
		bpf_for_each_map_elem(&allocators, sweep_allocator, &tgid, 0);
	if (process->has_views)
		bpf_for_each_map_elem(&views, sweep_view, &tgid, 0);
	bpf_map_delete_elem(&processes, &tgid);
}

/* Adds an entry. Its start is set last; readers skip an entry without one. */
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
