/*
 * Handles processes that exit or call execve(), notes the devices of those that die abruptly, and
 * makes the changes to the accounts that the tracer requests.
 * The tracer runs BPF programs for these: an update of the map from user space would overwrite what
 * probes count meanwhile.
 */
#include "basic/abrupt_signal.h"
#include "trace/kernel/account.h"
#include "trace/kernel/program_share.h"

/* Deletes what was known about the program of a process that exits or calls execve(). */
static __always_inline void facts_forget(uint32_t tgid)
{
	struct trace_programs *programs_of = bpf_map_lookup_elem(&programs, &tgid);
	uint32_t uid = programs_of ? programs_of->uid : 0;

	bpf_map_delete_elem(&roles, &tgid);
	if (programs_of && bpf_map_delete_elem(&programs, &tgid) == 0)
		share_return(uid);
}

/* ---- devices of processes that die abruptly ---- */

/* Arguments of a search of the descriptors. */
struct fd_search {
	struct file **files; /* in kernel memory */
	uint32_t count;
	struct trace_death death;
};

/* A node without links was removed: its number may be reused by another card. */
static __always_inline void note_file(const struct file *file, const struct trace_death *death)
{
	struct inode *inode = BPF_CORE_READ(file, f_inode);
	uint32_t number;

	if ((BPF_CORE_READ(inode, i_mode) & 0170000) != 0020000 ||
	    BPF_CORE_READ(inode, i_nlink) == 0)
		return;
	number = BPF_CORE_READ(inode, i_rdev);
	if (bpf_map_lookup_elem(&devices, &number))
		bpf_map_update_elem(&deaths, &number, death, BPF_ANY);
}

/*
 * Called for each element of fd_groups, an array that exists only to loop over the descriptors in
 * groups: Linux 5.15 has no other loop of this length.
 */
static long note_group(struct bpf_map *map, uint32_t *group, uint32_t *value,
		       struct fd_search *search)
{
	uint32_t first = *group * TRACE_FD_GROUP;

	(void)map;
	(void)value;
	for (uint32_t i = 0; i < TRACE_FD_GROUP; i++) {
		struct file *file = NULL;

		if (first + i >= search->count)
			return 1;
		bpf_probe_read_kernel(&file, sizeof(file), search->files + first + i);
		if (file)
			note_file(file, &search->death);
	}
	return 0;
}

static __always_inline bool is_monitor(uint32_t tgid, uint64_t start)
{
	struct trace_role *role = bpf_map_lookup_elem(&roles, &tgid);

	return role && role->start == start && role->role == TRACE_ROLE_MONITOR;
}

/*
 * Records this death for each device that the process holds. Its files are still open: the kernel
 * closes them later. Ordinary exits cost one comparison.
 */
static __always_inline void note_death(struct task_struct *task)
{
	uint32_t signal = BPF_CORE_READ(task, exit_code) & 0x7f;
	struct fd_search search = {
		.death = {
			.start = BPF_CORE_READ(task, group_leader, start_boottime) / TRACE_NS_PER_TICK,
			.ended = bpf_ktime_get_boot_ns(),
			.tgid = BPF_CORE_READ(task, tgid),
			.signal = signal,
		},
	};

	if (!IS_ABRUPT(signal) || is_monitor(search.death.tgid, search.death.start))
		return;
	BPF_CORE_READ_STR_INTO(&search.death.comm, task, group_leader, comm);
	search.files = BPF_CORE_READ(task, files, fdt, fd);
	search.count = BPF_CORE_READ(task, files, fdt, max_fds);
	bpf_for_each_map_elem(&fd_groups, note_group, &search, 0);
}

SEC("raw_tp/sched_process_exit")
int ended(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx->args[0];
	uint64_t thread = bpf_get_current_pid_tgid();

	bpf_map_delete_elem(&threads, &thread);
	if (BPF_CORE_READ(task, signal, live.counter) == 0) {
		note_death(task);
		facts_forget(thread >> 32);
		process_forget(thread >> 32);
	}
	return 0;
}

SEC("raw_tp/sched_process_exec")
int executed(struct bpf_raw_tracepoint_args *ctx)
{
	uint64_t thread = bpf_get_current_pid_tgid();
	uint64_t before = thread >> 32 << 32 |
			  (uint32_t)ctx->args[1]; /* args[1]: the old tid of this thread */

	bpf_map_delete_elem(&threads, &thread);
	bpf_map_delete_elem(&threads, &before);
	facts_forget(thread >> 32);
	process_forget(thread >> 32);
	return 0;
}

static __always_inline uint32_t count_copies(const struct trace_process *process)
{
	uint32_t count = 0;

	for (int i = 0; i < TRACE_COPIES; i++)
		count += process->copies[i] != 0;
	return count;
}

/*
 * (tgid, start, flags, comm, comm, number of TT-Metal files that it maps): adds a process, or
 * flags to it. TRACE_SINCE_ATTACH is added only if a file is not among the copies that hooks have
 * seen: for those the hooks have set it.
 */
SEC("raw_tp")
int enter(struct bpf_raw_tracepoint_args *ctx)
{
	uint32_t tgid = ctx->args[0];
	uint64_t comm[2] = { ctx->args[3], ctx->args[4] };
	struct trace_process *process = process_add(tgid);

	if (!process)
		return -E2BIG;
	if (process->start && process->start != ctx->args[1])
		return -ESRCH;
	process_flag(process, ctx->args[2] & ~TRACE_SINCE_ATTACH);
	if (count_copies(process) < ctx->args[5])
		process_flag(process, ctx->args[2] & TRACE_SINCE_ATTACH);
	if (!process->start) {
		__builtin_memcpy(process->comm, comm, sizeof(process->comm));
		process->start = ctx->args[1];
	}
	if (!(ctx->args[2] & TRACE_FAULT_BIT(TRACE_FAULT_NO_ANSWER)))
		__sync_fetch_and_and(&process->flags, ~TRACE_FAULT_BIT(TRACE_FAULT_NO_ANSWER));
	return 0;
}

/* (tgid, start, only if it never held memory): removes a process. */
SEC("raw_tp")
int leave(struct bpf_raw_tracepoint_args *ctx)
{
	uint32_t tgid = ctx->args[0];
	struct trace_process *process = bpf_map_lookup_elem(&processes, &tgid);

	if (!process || process->start != ctx->args[1])
		return -ESRCH;
	if (ctx->args[2] && process->chips)
		return -EBUSY;
	process_forget(tgid);
	return 0;
}

/* False if all buffers of the allocator were freed since they were read. */
static __always_inline bool is_unchanged(uint32_t tgid, uint64_t pointer, uint64_t emptied)
{
	struct trace_key key = { .tgid = tgid, .pointer = pointer };
	struct trace_allocator *allocator = bpf_map_lookup_elem(&allocators, &key);

	return allocator && allocator->emptied == emptied;
}

/*
 * (tgid, start, Buffer, size, type, allocator, device, chips, emptied, swept): adds a buffer from
 * before the attach. It adds first and then checks whether the buffer was freed meanwhile; a
 * hook that frees all, or deletes tombstones, does it in the opposite order.
 */
SEC("raw_tp")
int adopt(struct bpf_raw_tracepoint_args *ctx)
{
	uint32_t tgid = ctx->args[0];
	struct trace_process *process = bpf_map_lookup_elem(&processes, &tgid);
	struct trace_key key = { .tgid = tgid, .pointer = ctx->args[2] };
	struct trace_buffer b = {
		.start = ctx->args[1],
		.size = ctx->args[3],
		.type = ctx->args[4],
		.allocator = ctx->args[5],
		.device = ctx->args[6],
		.chips = ctx->args[7],
	};
	struct trace_buffer *found;
	int r;

	if (!process || process->start != b.start)
		return -ESRCH;
	r = buffer_add(process, &key, &b);
	if (r == -EEXIST)
		return 0; /* a hook has seen it since: allocated again, or freed */
	if (r != 0) {
		process_fault(process, TRACE_FAULT_MAP_FULL);
		return r;
	}
	buffer_count(process, &b);
	if (process->swept == ctx->args[9] && is_unchanged(tgid, b.allocator, ctx->args[8]))
		return 0;
	found = bpf_map_lookup_elem(&live, &key);
	if (found) {
		buffer_free(process, found);
		tombstone_remove(process, &key, found);
	}
	return -EAGAIN;
}

/*
 * (tgid, start, allocator, chips): all buffers of an allocator were added. The number of allocators
 * of a process is unknown, so its figures stay lower bounds.
 */
SEC("raw_tp")
int settle(struct bpf_raw_tracepoint_args *ctx)
{
	uint32_t tgid = ctx->args[0];
	struct trace_process *process = bpf_map_lookup_elem(&processes, &tgid);
	struct trace_key key = { .tgid = tgid, .pointer = ctx->args[2] };
	struct trace_allocator *allocator = bpf_map_lookup_elem(&allocators, &key);

	if (!process || process->start != ctx->args[1] || !allocator)
		return -ESRCH;
	allocator->read = 1;
	__sync_fetch_and_or(&allocator->chips, ctx->args[3]);
	__sync_fetch_and_or(&process->chips, ctx->args[3]);
	return 0;
}

/* Some helper functions of the kernel are restricted to GPL-compatible programs. */
char licence[] SEC("license") = "Dual MIT/GPL";
