/*
 * A call of a hooked function: the library, the copy of it in the process, the process, and the
 * objects that are the arguments.
 */
#pragma once

#include <asm/ptrace.h>

#include "trace/kernel/account.h"
#include "trace/kernel/library.h"

/* One call; the probe is at the first instruction of the function. */
struct hit {
	struct pt_regs *regs;
	struct trace_library *library;
	struct trace_process *process;
	uint64_t bias; /* load bias of the library in this process */
	uint32_t tgid;
};

static __always_inline struct trace_process *process_begin(const struct hit *hit, uint64_t start_ns)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct trace_process *process = process_add(hit->tgid);

	if (!process || process->start)
		return process; /* another thread has filled the entry */
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
		process_forget(tgid); /* an earlier process had this pid */
	return process_begin(hit, start);
}

/* A copy of TT-Metal that was loaded before the attach may already hold memory. */
static __always_inline void copy_add(const struct hit *hit)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (task->group_leader->start_boottime <= hit->library->attached)
		process_flag(hit->process, TRACE_SINCE_ATTACH);
}

/*
 * Is this the entry whose probes count for this copy of TT-Metal? One file can have two device
 * numbers, as in two containers with the same image. Then it has two entries, each with its own
 * probes, and every call hits both. The entry that is hit first counts until it is detached; hits
 * of the other one are ignored.
 */
static __always_inline bool is_reporting(const struct hit *hit)
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
			copy_add(hit);
		if (!old || old == mine)
			return true;
		if ((old ^ mine) >= TRACE_LIBRARY_IDS)
			continue; /* another copy */
		if (library_find(old % TRACE_LIBRARY_IDS))
			return false;
		found = __sync_val_compare_and_swap(copy, old, mine);
		if (found == old)
			copy_add(hit); /* calls since the detach are missing */
		return found == old || found == mine;
	}
	process_fault(hit->process, TRACE_FAULT_UNKNOWN_SHAPE);
	return false;
}

/* False: the call is not counted. */
static __always_inline bool hit_begin(struct hit *hit, uint32_t id, uint32_t hook)
{
	hit->library = library_find(id);
	if (!hit->library || hook >= METAL_HOOKS)
		return false;
	hit->tgid = bpf_get_current_task_btf()->tgid;
	hit->bias = hit->regs->rip - hit->library->hooks[hook];
	hit->process = process_of(hit);
	if (!hit->process || (hit->process->flags & ~TRACE_COUNTED))
		return false;
	return is_reporting(hit);
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

/*
 * What a device pointer points to, determined by its vtable pointer. Sets the bit of a chip, or the
 * pointer to the implementation of a mesh.
 */
static __always_inline enum device_kind device_kind(const struct trace_library *library,
						    uint64_t bias, uint64_t device, uint64_t *ret)
{
	uint64_t words[4];
	uint32_t chip;

	_Static_assert(METAL_MESH_IMPL == 3 * sizeof(words[0]), "words of a MeshDevice");
	if (!read_user(words, sizeof(words), device))
		return DEVICE_OTHER;
	if (words[0] == bias + library->mesh_vtable) {
		*ret = words[3];
		return DEVICE_MESH;
	}
	chip = library->chip == 8 ? words[1] : words[3];
	if (words[0] != bias + library->device_vtable || chip >= TRACE_CHIPS)
		return DEVICE_OTHER;
	*ret = UINT64_C(1) << chip;
	return DEVICE_CHIP;
}
