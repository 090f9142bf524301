/*
 * Runs at each hooked call of TT-Metal: one program for all hooks of all libraries. The cookie of
 * the probe identifies both.
 *
 * It runs inside the traced program and only reads. After a failed memory read, with a full map or
 * for an object with an unknown layout, the figures of that process are lost, and nothing else.
 */
#include "trace/kernel/view.h"

#include <linux/errno.h>
#include <stddef.h>

/*
 * For a process that started before the attach: records an allocator to read back, and its chips.
 */
static __always_inline void allocator_note(const struct hit *hit, uint64_t allocator,
					   uint64_t device, uint64_t chips)
{
	struct trace_key key = { .tgid = hit->tgid, .pointer = allocator };
	struct trace_allocator *found;

	if (!(hit->process->flags & TRACE_SINCE_ATTACH))
		return;
	found = bpf_map_lookup_elem(&allocators, &key);
	if (!found) {
		struct trace_allocator fresh = { .bias = hit->bias,
						 .library = hit->library->id,
						 .emptied = bpf_ktime_get_ns() };

		bpf_map_update_elem(&allocators, &key, &fresh, BPF_NOEXIST);
		found = bpf_map_lookup_elem(&allocators, &key);
		if (!found)
			return;
	}
	if (device)
		found->device = device;
	__sync_fetch_and_or(&found->chips, chips);
}

static __always_inline struct trace_thread *thread_find(const struct hit *hit)
{
	uint64_t thread = hit->process->has_threads ? bpf_get_current_pid_tgid() : 0;

	return thread ? bpf_map_lookup_elem(&threads, &thread) : NULL;
}

static __always_inline bool is_live(const struct trace_buffer *b)
{
	return b && !(b->flags & TRACE_BUFFER_TOMBSTONE);
}

/*
 * To be called at the next allocation of the thread: if its last mesh buffer got no members, the
 * bytes were added to no chip.
 */
static __always_inline void mesh_check(const struct hit *hit, struct trace_thread *thread)
{
	struct trace_key key = { .tgid = hit->tgid };
	struct trace_buffer *b;

	if (!thread || !thread->mesh)
		return;
	key.pointer = thread->mesh;
	thread->mesh = 0;
	if (thread->members)
		/* another thread may have freed it, and have a new one at this address */
		return;
	b = bpf_map_lookup_elem(&live, &key);
	if (is_live(b) && b->flags & TRACE_BUFFER_MESH && !b->chips)
		process_fault(hit->process, TRACE_FAULT_MESH);
}

/* Stores what this thread is allocating. No other thread uses the entry. */
static __always_inline void thread_put(const struct hit *hit, struct trace_thread *old,
				       const struct trace_thread *thread)
{
	uint64_t key = bpf_get_current_pid_tgid();

	if (old) {
		*old = *thread;
		return;
	}
	hit->process->has_threads = 1;
	if (bpf_map_update_elem(&threads, &key, thread, BPF_ANY) != 0)
		process_fault(hit->process, TRACE_FAULT_MAP_FULL);
}

/* Turns a tombstone into the entry of a new buffer. False: another thread is deleting it. */
static __always_inline bool tombstone_reuse(struct trace_buffer *tombstone,
					    const struct trace_buffer *b)
{
	uint32_t flags = tombstone->flags;

	if (flags & TRACE_BUFFER_BUSY ||
	    __sync_val_compare_and_swap(&tombstone->flags, flags,
					TRACE_BUFFER_TOMBSTONE | TRACE_BUFFER_BUSY) != flags)
		return false;
	tombstone->start = b->start;
	tombstone->size = b->size;
	tombstone->allocator = b->allocator;
	tombstone->device = b->device;
	tombstone->chips = b->chips;
	tombstone->type = b->type;
	tombstone->thread = b->thread;
	barrier(); /* flags last: until then other threads see a tombstone */
	tombstone->flags = b->flags;
	return true;
}

/* False: the buffer has no entry, and the process is no longer counted. */
static __always_inline bool buffer_put(const struct hit *hit, uint64_t self,
				       const struct trace_buffer *b)
{
	struct trace_key key = { .tgid = hit->tgid, .pointer = self };

	for (int i = 0; i < 3; i++) {
		struct trace_buffer *old = bpf_map_lookup_elem(&live, &key);
		int r;

		if (old && is_live(old) && old->start == b->start)
			break;
		if (old && tombstone_reuse(old, b))
			return true;
		r = buffer_add(hit->process, &key, b);
		if (r != 0 && r != -EEXIST)
			process_fault(hit->process, TRACE_FAULT_MAP_FULL);
		if (r != -EEXIST)
			return r == 0;
	}
	process_fault(hit->process, TRACE_FAULT_MISSED_FREE);
	return false;
}

/*
 * The chips of a mesh buffer, from the view of its mesh if that is proven. Otherwise the calls of
 * METAL_CREATE_AT that follow give them, and view_compare() checks the view. False: there is no
 * such probe, so they stay unknown.
 */
static __always_inline bool mesh_chips(const struct hit *hit, uint64_t impl,
				       struct trace_thread *thread, uint64_t *ret_chips)
{
	struct trace_view_place *place = view_place(hit);
	uint64_t chips = place ? view_chips(place, hit->tgid, impl) : 0;

	if (chips && place->matched && !place->differed) {
		*ret_chips = chips;
		thread->mesh = 0;
		return true;
	}
	if (place && !chips && !(hit->process->flags & TRACE_SINCE_ATTACH))
		place->differed = 1;
	thread->expected = chips;
	return hit->library->has_members;
}

/* Records whether the view agrees with the chips that the mesh buffer has so far. */
static __always_inline void view_compare(const struct hit *hit, uint64_t expected, uint64_t chips)
{
	struct trace_view_place *place = expected ? view_place(hit) : NULL;

	if (place && chips & ~expected)
		place->differed = 1;
	else if (place && chips == expected)
		place->matched = 1;
}

/* Adds an allocation to the figures; attempt: it may still fail. */
static __always_inline void count(const struct hit *hit, const struct metal_buffer *buffer,
				  bool attempt)
{
	struct trace_buffer b = {
		.start = hit->process->start,
		.size = buffer->size,
		.allocator = buffer->allocator,
		.device = buffer->device,
		.type = buffer->type,
	};
	struct trace_thread *old = thread_find(hit), thread = { 0 };
	uint64_t found = 0;

	if (attempt)
		b.thread = bpf_get_current_pid_tgid();
	mesh_check(hit, old);
	switch (device_kind(hit->library, hit->bias, buffer->device, &found)) {
	case DEVICE_CHIP: b.chips = found; break;
	case DEVICE_MESH:
		b.flags = TRACE_BUFFER_MESH;
		thread.mesh = buffer->self;
		thread.address = attempt ? 0 : buffer->address;
		if (mesh_chips(hit, found, &thread, &b.chips))
			break;
		process_fault(hit->process, TRACE_FAULT_MESH);
		return;
	case DEVICE_OTHER: process_fault(hit->process, TRACE_FAULT_UNKNOWN_SHAPE); return;
	}
	if (!buffer_put(hit, buffer->self, &b))
		return;
	buffer_count(hit->process, &b);
	allocator_note(hit, b.allocator, b.flags & TRACE_BUFFER_MESH ? b.device : 0, b.chips);
	if (attempt) {
		thread.attempt = buffer->self;
		thread.stack = hit->regs->rsp;
		read_user(&thread.caller, 8, thread.stack);
	}
	if (attempt || thread.mesh)
		thread_put(hit, old, &thread);
}

/* Called for each success, and for dry runs, which have no memory and no address. */
static __always_inline void on_track_allocate(const struct hit *hit, uint64_t self)
{
	struct trace_key key = { .tgid = hit->tgid, .pointer = self };
	struct metal_buffer buffer = { 0 };

	if (!buffer_read(hit, self, &buffer)) {
		process_fault(hit->process, TRACE_FAULT_UNKNOWN_SHAPE);
		return;
	}
	if (!buffer.owns_data || buffer.dry_run || !buffer.address || !buffer.size)
		return;
	if (!metal_has_memory(&buffer, hit->library->allocated_mask) ||
	    buffer.size > METAL_SIZE_MAX) {
		process_fault(hit->process, TRACE_FAULT_UNKNOWN_SHAPE);
		return;
	}
	/* If attempts are counted, it is counted already. */
	if (hit->library->tracks || !is_live(bpf_map_lookup_elem(&live, &key)))
		count(hit, &buffer, false);
}

/*
 * Called for each attempt. The size is the requested one, which may exceed the memory of any card.
 */
static __always_inline void on_allocate(const struct hit *hit, uint64_t self)
{
	struct metal_buffer buffer = { 0 };

	if (!buffer_read(hit, self, &buffer))
		process_fault(hit->process, TRACE_FAULT_UNKNOWN_SHAPE);
	else if (buffer.size)
		count(hit, &buffer, true);
}

/*
 * allocator: 0 if the hook does not have it. A buffer from before the attach has no entry: it gets
 * a tombstone, so that the tracer does not add it later. If the tracer adds it at this moment
 * (-EEXIST), the second iteration frees it.
 */
static __always_inline void on_free(const struct hit *hit, uint64_t self, uint64_t allocator)
{
	struct trace_key key = { .tgid = hit->tgid, .pointer = self };
	struct trace_buffer tombstone = { .start = hit->process->start,
					  .flags = TRACE_BUFFER_TOMBSTONE };

	if (allocator)
		allocator_note(hit, allocator, 0, 0);
	for (int i = 0; i < 2; i++) {
		struct trace_buffer *b = bpf_map_lookup_elem(&live, &key);
		int r;

		if (b) {
			buffer_free(hit->process, b);
			return;
		}
		if (!(hit->process->flags & TRACE_SINCE_ATTACH))
			return;
		r = buffer_add(hit->process, &key, &tombstone);
		if (r == 0)
			return;
		if (r != -EEXIST)
			process_fault(hit->process, TRACE_FAULT_MAP_FULL);
	}
}

/*
 * Did the attempt fail? Its return address is on the stack while it runs, and may stay there
 * afterwards, since nothing overwrites it; so the status of the Buffer is checked as well. An
 * entry that belongs to another thread by now is a newer buffer at the same address.
 */
static __always_inline void on_throw(const struct hit *hit)
{
	struct trace_thread *thread = thread_find(hit);
	struct trace_key key = { .tgid = hit->tgid };
	struct metal_buffer buffer = { 0 };
	struct trace_buffer *b;
	uint64_t caller = 0;

	if (!thread || !thread->stack || hit->regs->rsp >= thread->stack)
		return;
	if (!read_user(&caller, 8, thread->stack) || caller != thread->caller)
		return;
	key.pointer = thread->attempt;
	thread->stack = 0;
	b = bpf_map_lookup_elem(&live, &key);
	if (!b || b->thread != (uint32_t)bpf_get_current_pid_tgid())
		return;
	if (!buffer_read(hit, key.pointer, &buffer))
		process_fault(hit->process, TRACE_FAULT_UNKNOWN_SHAPE);
	else if (!buffer.address || !metal_has_memory(&buffer, hit->library->allocated_mask))
		buffer_free(hit->process, b);
}

static __always_inline void allocator_emptied(struct trace_key *key, bool destroy)
{
	struct trace_allocator *found = bpf_map_lookup_elem(&allocators, key);

	if (!found)
		return;
	found->emptied = bpf_ktime_get_ns();
	if (destroy)
		bpf_map_delete_elem(&allocators, key);
}

static __always_inline void on_forget_all(const struct hit *hit, uint64_t allocator, bool destroy)
{
	struct trace_key key = { .tgid = hit->tgid, .pointer = allocator };

	if (!allocator)
		return;
	/* Before the buffers are freed: adopt() checks this after it has added a buffer. */
	if (hit->process->flags & TRACE_SINCE_ATTACH)
		allocator_emptied(&key, destroy);
	sweep_buffers(hit->process, hit->tgid, allocator);
}

/* Is it a view of the mesh buffer? Another thread may have freed that: then it is a tombstone. */
static __always_inline bool is_view_of(const struct hit *hit, const struct trace_buffer *mesh,
				       const struct trace_thread *thread)
{
	uint64_t address = thread->address;

	if (!is_live(mesh) || !(mesh->flags & TRACE_BUFFER_MESH) || mesh->size != hit->regs->rcx ||
	    mesh->type != (uint32_t)hit->regs->r9)
		return false;
	if (!address && !read_user(&address, 8,
				   thread->mesh + hit->library->buffer +
					   offsetof(struct trace_object, address)))
		return false;
	return address == hit->regs->rdx;
}

/* A view of existing memory. After a mesh buffer on the same thread it is one of its members. */
static __always_inline void on_create_at(const struct hit *hit)
{
	struct trace_thread *thread = thread_find(hit);
	struct trace_key key = { .tgid = hit->tgid };
	struct trace_buffer *mesh;
	uint64_t chip = 0, before;

	if (!thread || !thread->mesh)
		return;
	key.pointer = thread->mesh;
	mesh = bpf_map_lookup_elem(&live, &key);
	if (!mesh || !is_view_of(hit, mesh, thread) ||
	    device_kind(hit->library, hit->bias, hit->regs->rsi, &chip) != DEVICE_CHIP)
		return;
	thread->members++;
	before = __sync_fetch_and_or(&mesh->chips, chip);
	view_compare(hit, thread->expected, before | chip);
	if (before & chip)
		return;
	if (chip & ~hit->process->chips)
		__sync_fetch_and_or(&hit->process->chips, chip);
	chips_add(hit->process, chip, mesh->type, mesh->size, 1);
	allocator_note(hit, mesh->allocator, mesh->device, chip);
}

SEC("uprobe")
int hook(struct pt_regs *regs)
{
	uint64_t cookie = bpf_get_attach_cookie(regs);
	struct hit hit = { .regs = regs };
	uint64_t first = regs->rdi, second = regs->rsi;

	if (!hit_begin(&hit, cookie >> 8, cookie & 0xff))
		return 0;
	switch ((enum metal_hook)(cookie & 0xff)) {
	case METAL_TRACK_ALLOCATE: on_track_allocate(&hit, second); break;
	case METAL_ALLOCATE: on_allocate(&hit, second); break;
	case METAL_DEALLOCATE: on_free(&hit, second, first); break;
	case METAL_TRACK_DEALLOCATE: on_free(&hit, second, 0); break;
	case METAL_FORGET: on_free(&hit, first, 0); break;
	case METAL_FORGET_ALL: on_forget_all(&hit, first, false); break;
	case METAL_DESTROY: on_forget_all(&hit, first, true); break;
	case METAL_CREATE_AT: on_create_at(&hit); break;
	case METAL_THROW: on_throw(&hit); break;
	case METAL_VIEW: on_view(&hit, true); break;
	case METAL_VIEW_LOCAL: on_view(&hit, false); break;
	case METAL_HOOKS: break;
	}
	return 0;
}
