/*
 * Processes that end or become another program; and what the tracer does to the
 * accounts, as programs that it runs itself: an update by user space would overwrite
 * what probes have counted meanwhile.
 */
#include "trace/kernel/account.h"

#include <linux/errno.h>

SEC("raw_tp/sched_process_exit")
int ended(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (struct task_struct *)ctx->args[0];
	uint64_t thread = bpf_get_current_pid_tgid();

	bpf_map_delete_elem(&threads, &thread);
	if (BPF_CORE_READ(task, signal, live.counter) == 0)
		process_forget(thread >> 32);
	return 0;
}

SEC("raw_tp/sched_process_exec")
int executed(struct bpf_raw_tracepoint_args *ctx)
{
	(void)ctx;
	process_forget(bpf_get_current_pid_tgid() >> 32);
	return 0;
}

/* (tgid, start, flags, comm, comm): follow it, or learn more of it. */
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
	if (!process->start) {
		__builtin_memcpy(process->comm, comm, sizeof(process->comm));
		process_flag(process, ctx->args[2] & TRACE_SINCE_ATTACH);
		process->start = ctx->args[1];
	}
	process_flag(process, ctx->args[2] & ~TRACE_SINCE_ATTACH);
	return 0;
}

/* (tgid, start): it is gone. */
SEC("raw_tp")
int leave(struct bpf_raw_tracepoint_args *ctx)
{
	uint32_t tgid = ctx->args[0];
	struct trace_process *process = bpf_map_lookup_elem(&processes, &tgid);

	if (!process || process->start != ctx->args[1])
		return -ESRCH;
	process_forget(tgid);
	return 0;
}

/* (tgid, start, Buffer, size, type, allocator, device, chips): held before the attach. */
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
	long r;

	if (!process || process->start != b.start)
		return -ESRCH;
	r = bpf_map_update_elem(&live, &key, &b, BPF_NOEXIST);
	if (r == -EEXIST)
		return 0; /* seen since, or freed */
	if (r != 0) {
		process_flag(process, TRACE_MAP_FULL);
		return r;
	}
	__sync_fetch_and_add(&process->entries, 1);
	buffer_give(process, &b);
	return 0;
}

/* (tgid, start, allocator, chips): all that it held was adopted. */
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
	__sync_fetch_and_or(&process->chips, ctx->args[3]);
	__sync_fetch_and_or(&process->whole, ctx->args[3]);
	return 0;
}

/* The kernel lends some of its functions to such programs only. */
char licence[] SEC("license") = "Dual MIT/GPL";
