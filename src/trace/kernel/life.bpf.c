/*
 * Processes that end or become another program; and what the tracer does to the
 * accounts, as programs that it runs itself: an update by user space would overwrite
 * what probes have counted meanwhile.
 */
#include "trace/kernel/account.h"

/* Whatever the tracer found out of it was found out of another program. */
static __always_inline void role_forget(uint32_t tgid)
{
	bpf_map_delete_elem(&roles, &tgid);
}

SEC("raw_tp/sched_process_exit")
int ended(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx->args[0];
	uint64_t thread = bpf_get_current_pid_tgid();

	bpf_map_delete_elem(&threads, &thread);
	if (BPF_CORE_READ(task, signal, live.counter) == 0) {
		role_forget(thread >> 32);
		process_forget(thread >> 32);
	}
	return 0;
}

SEC("raw_tp/sched_process_exec")
int executed(struct bpf_raw_tracepoint_args *ctx)
{
	uint64_t thread = bpf_get_current_pid_tgid();
	uint64_t before =
		thread >> 32 << 32 | (uint32_t)ctx->args[1]; /* the first has its number now */

	bpf_map_delete_elem(&threads, &thread);
	bpf_map_delete_elem(&threads, &before);
	role_forget(thread >> 32);
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
 * (tgid, start, flags, comm, comm, files of TT-Metal that it maps): follow it, or learn more
 * of it. Of copies that were heard of the hooks know since when.
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

/* (tgid, start, only if it never had anything): it is gone. */
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

/* Is what was read of an allocator still true, or was all of it freed since? */
static __always_inline bool is_still_so(uint32_t tgid, uint64_t pointer, uint64_t emptied)
{
	struct trace_key key = { .tgid = tgid, .pointer = pointer };
	struct trace_allocator *allocator = bpf_map_lookup_elem(&allocators, &key);

	return allocator && allocator->emptied == emptied;
}

/*
 * (tgid, start, Buffer, size, type, allocator, device, chips, emptied, swept): held before
 * the attach. First it is added, then looked whether it should have been: who frees all,
 * or takes tombs away, does it the other way round.
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
		return 0; /* seen since, or freed */
	if (r != 0) {
		process_fault(process, TRACE_FAULT_MAP_FULL);
		return r;
	}
	buffer_give(process, &b);
	if (process->swept == ctx->args[9] && is_still_so(tgid, b.allocator, ctx->args[8]))
		return 0;
	found = bpf_map_lookup_elem(&live, &key);
	if (found) {
		buffer_bury(process, found);
		tomb_remove(process, &key, found);
	}
	return -EAGAIN;
}

/*
 * (tgid, start, allocator, chips): all that it held was adopted. Nothing says how many
 * allocators a process has, so it does not become exact by this.
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

/* The kernel lends some of its functions to such programs only. */
char licence[] SEC("license") = "Dual MIT/GPL";
