/*
 * Entered with each call of TT-Metal that tells of device memory: one program for
 * all hooks of all libraries, which a number at each probe tells apart.
 *
 * It runs inside the program that is watched, so it only looks: a memory read that
 * fails, a map that is full, an object of another shape cost that process its
 * figures, and nothing else.
 */
#include <asm/ptrace.h>

#include "trace/kernel/account.h"

#include <bpf/bpf_tracing.h>

#include <linux/errno.h>
#include <stddef.h>

/* One call, seen at its first instruction. */
struct hit {
	struct pt_regs *regs;
	struct trace_library *library;
	struct trace_process *process;
	uint64_t bias; /* of the library in this process */
	uint32_t tgid;
};

static __always_inline bool read_user(void *to, uint32_t size, uint64_t from)
{
	return bpf_probe_read_user(to, size, (const void *)from) == 0;
}

static __always_inline struct trace_library *library_find(uint32_t id)
{
	uint32_t place = id % TRACE_LIBRARIES;
	struct trace_library *library = bpf_map_lookup_elem(&libraries, &place);

	return library && library->id == id ? library : NULL;
}

static __always_inline struct trace_process *process_begin(const struct hit *hit, uint64_t start_ns)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct trace_process *process = process_add(hit->tgid);

	if (!process || process->start)
		return process; /* another thread was faster */
	if (start_ns <= hit->library->attached)
		process_flag(process, TRACE_SINCE_ATTACH);
	BPF_CORE_READ_INTO(&process->comm, task, group_leader, comm);
	process->start = start_ns / TRACE_NS_PER_TICK;
	return process;
}

static __always_inline struct trace_process *process_of(const struct hit *hit)
{
	struct task_struct *task = bpf_get_current_task_btf();
	uint64_t start = task->group_leader->start_boottime;
	uint32_t tgid = hit->tgid;
	struct trace_process *process = bpf_map_lookup_elem(&processes, &tgid);

	if (process && process->start_ns == start)
		return process;
	if (process && process->start == start / TRACE_NS_PER_TICK) {
		process->start_ns = start;
		return process;
	}
	if (process && process->start)
		process_forget(tgid); /* somebody who had this number before */
	return process_begin(hit, start);
}

/* A copy that was loaded before it was attached to may hold something already. */
static __always_inline void copy_begin(const struct hit *hit)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (task->group_leader->start_boottime <= hit->library->attached)
		process_flag(hit->process, TRACE_SINCE_ATTACH);
}

/*
 * The same file can have two names that do not look the same, as in two containers
 * over one image: both are attached to, and each call is told twice. Who comes first
 * speaks for that copy of the library, until its library is let go.
 */
static __always_inline bool speaks(const struct hit *hit)
{
	uint64_t mine = hit->bias | hit->library->id;

	for (int i = 0; i < TRACE_COPIES; i++) {
		uint64_t *copy = &hit->process->copies[i];
		uint64_t old = *copy, found;

		if (old == mine)
			return true;
		if (!old)
			old = __sync_val_compare_and_swap(copy, 0, mine);
		if (!old)
			copy_begin(hit);
		if (!old || old == mine)
			return true;
		if ((old ^ mine) >= TRACE_LIBRARY_IDS)
			continue; /* another copy */
		if (library_find(old % TRACE_LIBRARY_IDS))
			return false;
		found = __sync_val_compare_and_swap(copy, old, mine);
		if (found == old)
			copy_begin(hit); /* what was called between the two is missing */
		return found == old || found == mine;
	}
	process_flag(hit->process, TRACE_UNKNOWN_SHAPE);
	return false;
}

/* false: nobody whom we follow. */
static __always_inline bool hit_begin(struct hit *hit, uint32_t id, uint32_t hook)
{
	hit->library = library_find(id);
	if (!hit->library || hook >= METAL_HOOKS)
		return false;
	hit->tgid = bpf_get_current_task_btf()->tgid;
	hit->bias = hit->regs->rip - hit->library->hooks[hook];
	hit->process = process_of(hit);
	if (!hit->process || (hit->process->flags & ~TRACE_GOES_ON))
		return false;
	return speaks(hit);
}

static __always_inline bool buffer_read(const struct hit *hit, uint64_t self,
					struct metal_buffer *ret)
{
	struct trace_object object;

	if (!read_user(&object, sizeof(object), self + hit->library->buffer))
		return false;
	*ret = (struct metal_buffer){
		.self = self,
		.device = object.device,
		.size = object.size,
		.allocator = object.allocator,
		.address = object.address,
		.type = object.type,
		.owns_data = object.owns_data,
		.status = object.status,
		.dry_run = hit->library->has_dry_run ? object.dry_run : 0,
	};
	return metal_is_buffer(ret);
}

enum device_kind { DEVICE_CHIP, DEVICE_MESH, DEVICE_OTHER };

/* What a device pointer leads to, by the table of functions that it begins with. */
static __always_inline enum device_kind device_kind(const struct hit *hit, uint64_t device,
						    uint64_t *ret_chip)
{
	uint64_t words[4];
	uint32_t chip;

	if (!read_user(words, sizeof(words), device))
		return DEVICE_OTHER;
	if (words[0] == hit->bias + hit->library->mesh_vtable)
		return DEVICE_MESH;
	chip = hit->library->chip == 8 ? words[1] : words[3];
	if (words[0] != hit->bias + hit->library->device_vtable || chip >= TRACE_CHIPS)
		return DEVICE_OTHER;
	*ret_chip = UINT64_C(1) << chip;
	return DEVICE_CHIP;
}

/* For what was there before: by which allocator it can be read back, and to which chips it belongs.
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
	return b && !(b->flags & TRACE_BUFFER_TOMB);
}

/* A mesh buffer nobody was a member of, when its thread has gone on: its bytes are nowhere. */
static __always_inline void mesh_check(const struct hit *hit, struct trace_thread *thread)
{
	struct trace_key key = { .tgid = hit->tgid };
	struct trace_buffer *b;

	if (!thread || !thread->mesh)
		return;
	key.pointer = thread->mesh;
	thread->mesh = 0;
	if (thread->members)
		return; /* another thread may have freed it, and have a new one at its place */
	b = bpf_map_lookup_elem(&live, &key);
	if (is_live(b) && b->flags & TRACE_BUFFER_MESH && !b->chips)
		process_flag(hit->process, TRACE_MESH);
}

/* Of this thread, which alone uses it: what it is busy with from now on. */
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
		process_flag(hit->process, TRACE_MAP_FULL);
}

/* Takes a tomb over. false: somebody takes it away. */
static __always_inline bool buffer_revive(struct trace_buffer *tomb, const struct trace_buffer *b)
{
	uint32_t flags = tomb->flags;

	if (flags & TRACE_BUFFER_BUSY ||
	    __sync_val_compare_and_swap(&tomb->flags, flags,
					TRACE_BUFFER_TOMB | TRACE_BUFFER_BUSY) != flags)
		return false;
	tomb->start = b->start;
	tomb->size = b->size;
	tomb->allocator = b->allocator;
	tomb->device = b->device;
	tomb->chips = b->chips;
	tomb->type = b->type;
	tomb->thread = b->thread;
	barrier(); /* flags last: until then it is a tomb to everybody */
	tomb->flags = b->flags;
	return true;
}

/* false: it is not there, and the process is no longer counted. */
static __always_inline bool buffer_put(const struct hit *hit, uint64_t self,
				       const struct trace_buffer *b)
{
	struct trace_key key = { .tgid = hit->tgid, .pointer = self };

	for (int i = 0; i < 3; i++) {
		struct trace_buffer *old = bpf_map_lookup_elem(&live, &key);
		int r;

		if (old && is_live(old) && old->start == b->start)
			break;
		if (old && buffer_revive(old, b))
			return true;
		r = buffer_add(hit->process, &key, b);
		if (r != 0 && r != -EEXIST)
			process_flag(hit->process, TRACE_MAP_FULL);
		if (r != -EEXIST)
			return r == 0;
	}
	process_flag(hit->process, TRACE_MISSED_FREE);
	return false;
}

/* Puts an allocation into the figures; attempt: it may still fail. */
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

	if (attempt)
		b.thread = bpf_get_current_pid_tgid();
	mesh_check(hit, old);
	switch (device_kind(hit, buffer->device, &b.chips)) {
	case DEVICE_CHIP: break;
	case DEVICE_MESH:
		b.flags = TRACE_BUFFER_MESH;
		thread.mesh = buffer->self;
		thread.address = attempt ? 0 : buffer->address;
		break;
	case DEVICE_OTHER: process_flag(hit->process, TRACE_UNKNOWN_SHAPE); return;
	}
	if (!buffer_put(hit, buffer->self, &b))
		return;
	buffer_give(hit->process, &b);
	allocator_note(hit, b.allocator, thread.mesh ? b.device : 0, b.chips);
	if (attempt) {
		thread.attempt = buffer->self;
		thread.stack = hit->regs->rsp;
		read_user(&thread.caller, 8, thread.stack);
	}
	if (attempt || thread.mesh)
		thread_put(hit, old, &thread);
}

/* Told of each success, and of dry runs, which hold no memory: they have no address. */
static __always_inline void on_track_allocate(const struct hit *hit, uint64_t self)
{
	struct trace_key key = { .tgid = hit->tgid, .pointer = self };
	struct metal_buffer buffer = { 0 };

	if (!buffer_read(hit, self, &buffer)) {
		process_flag(hit->process, TRACE_UNKNOWN_SHAPE);
		return;
	}
	if (!buffer.owns_data || buffer.dry_run || !buffer.address || !buffer.size)
		return;
	if (!metal_has_memory(&buffer, hit->library->allocated_mask) ||
	    buffer.size > METAL_SIZE_MAX) {
		process_flag(hit->process, TRACE_UNKNOWN_SHAPE);
		return;
	}
	/* Where attempts count, it was counted. */
	if (hit->library->tracks || !is_live(bpf_map_lookup_elem(&live, &key)))
		count(hit, &buffer, false);
}

/* An attempt. Its size is the caller's wish, and may be more than any card has. */
static __always_inline void on_allocate(const struct hit *hit, uint64_t self)
{
	struct metal_buffer buffer = { 0 };

	if (!buffer_read(hit, self, &buffer))
		process_flag(hit->process, TRACE_UNKNOWN_SHAPE);
	else if (buffer.size)
		count(hit, &buffer, true);
}

/*
 * allocator: 0 if the hook does not know. What was held before the attach leaves a tomb too;
 * if it is read back just now, once more.
 */
static __always_inline void on_free(const struct hit *hit, uint64_t self, uint64_t allocator)
{
	struct trace_key key = { .tgid = hit->tgid, .pointer = self };
	struct trace_buffer tomb = { .start = hit->process->start, .flags = TRACE_BUFFER_TOMB };

	if (allocator)
		allocator_note(hit, allocator, 0, 0);
	for (int i = 0; i < 2; i++) {
		struct trace_buffer *b = bpf_map_lookup_elem(&live, &key);
		int r;

		if (b) {
			buffer_bury(hit->process, b);
			return;
		}
		if (!(hit->process->flags & TRACE_SINCE_ATTACH))
			return;
		r = buffer_add(hit->process, &key, &tomb);
		if (r == 0)
			return;
		if (r != -EEXIST)
			process_flag(hit->process, TRACE_MAP_FULL);
	}
}

/*
 * Did the attempt fail? Its return address is on the stack while it runs, and perhaps
 * longer, in a place that nobody has written to since; a Buffer that has got its memory
 * says so. If another thread has a buffer at its place by now, that is not the one.
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
		process_flag(hit->process, TRACE_UNKNOWN_SHAPE);
	else if (!buffer.address || !metal_has_memory(&buffer, hit->library->allocated_mask))
		buffer_bury(hit->process, b);
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
	/* First: who reads it back looks at this when it has added a buffer. */
	if (hit->process->flags & TRACE_SINCE_ATTACH)
		allocator_emptied(&key, destroy);
	sweep_buffers(hit->process, hit->tgid, allocator);
}

/* Is it a view of the mesh buffer? Freed by another thread, there may be a tomb in its place. */
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

/* A view of known memory. Behind a mesh buffer on the same thread, it is one of its members. */
static __always_inline void on_create_at(const struct hit *hit)
{
	struct trace_thread *thread = thread_find(hit);
	struct trace_key key = { .tgid = hit->tgid };
	struct trace_buffer *mesh;
	uint64_t chip = 0;

	if (!thread || !thread->mesh)
		return;
	key.pointer = thread->mesh;
	mesh = bpf_map_lookup_elem(&live, &key);
	if (!mesh || !is_view_of(hit, mesh, thread) ||
	    device_kind(hit, hit->regs->rsi, &chip) != DEVICE_CHIP)
		return;
	thread->members++;
	if (__sync_fetch_and_or(&mesh->chips, chip) & chip)
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
	case METAL_HOOKS: break;
	}
	return 0;
}
