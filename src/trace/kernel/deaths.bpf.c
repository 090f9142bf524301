/*
 * What `cat` of the pinned file `deaths` prints: the kernel runs this once for each device.
 * docs/tracing.md describes the text; lifecycle.bpf.c records the deaths.
 */
#include "trace/kernel/iterator.h"

static __always_inline void print_death(struct seq_file *seq, const struct trace_death *death)
{
	struct name name = { 0 };

	name_clean(&name, death->comm);
	BPF_SEQ_PRINTF(seq, "%-8u %-16s %-6u %llu\n", death->tgid, name.text, death->signal,
		       death->ended / TRACE_NS_PER_TICK);
}

SEC("iter/bpf_map_elem")
int jobs_died(struct bpf_iter__bpf_map_elem *ctx)
{
	struct seq_file *seq = ctx->meta->seq;
	uint32_t *key = ctx->key, number;
	struct trace_device *device = ctx->value;
	struct trace_death *death;

	/* The call at the end, without a key, has seq_num 0 too if at most one line was printed. */
	if (ctx->meta->seq_num == 0 && (key || seq->count == 0)) {
		BPF_SEQ_PRINTF(seq,
			       "DEVICE   SINCE        PID      Comm             SIGNAL ENDED\n");
		BPF_SEQ_PRINTF(seq,
			       "-------- ------------ -------- ---------------- ------ -----\n");
	}
	if (!key || !device)
		return 0;
	number = *key;
	BPF_SEQ_PRINTF(seq, "%-8u %-12llu ", device->index, device->since / TRACE_NS_PER_TICK);
	death = bpf_map_lookup_elem(&deaths, &number);
	if (death)
		print_death(seq, death);
	else
		BPF_SEQ_PRINTF(seq, "%-8s %-16s %-6s %s\n", "-", "-", "-", "-");
	return 0;
}
