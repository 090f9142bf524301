/*
 * What `cat` of the pinned file `dispatch` prints: the kernel runs this once for each line that the
 * tracer has published. docs/tracing.md describes the text.
 *
 * Names of operations are for root and for the owner of the process: the reader's user is known
 * here, since the program runs inside its read().
 */
#include "trace/kernel/iterator.h"

#define RETURN_WORD(name, word, ...)  \
	if (state == DISPATCH_##name) \
		return word;

static const char *word_of(uint32_t state)
{
	DISPATCH_STATES(RETURN_WORD)
	return "ok";
}

static const char *bound_word(uint32_t bound)
{
	if (bound == LINE_EXACT)
		return "exact";
	return bound == LINE_LOWER ? "lower" : "upper";
}

static __noinline void print_number(struct seq_file *seq, int64_t number)
{
	if (number < 0)
		BPF_SEQ_PRINTF(seq, "%-12s ", "-");
	else
		BPF_SEQ_PRINTF(seq, "%-12llu ", number);
}

static __always_inline bool may_see(const struct trace_line *line)
{
	uint32_t uid = bpf_get_current_uid_gid();

	return uid == 0 || uid == line->uid;
}

static __noinline void print_figure(struct seq_file *seq, const struct trace_line *line)
{
	if (line->bound == LINE_NONE)
		BPF_SEQ_PRINTF(seq, "%-12s %-12s %-5s %-10s ", "-", "-", "-", "-");
	else
		BPF_SEQ_PRINTF(seq, "%-12llu %-12llu %-5s %-10llu ", line->busy, line->window,
			       bound_word(line->bound), line->programs);
}

static __noinline void print_process(struct seq_file *seq, const struct trace_line_key *key,
				     const struct trace_line *line)
{
	if (key->tgid && key->chip == UINT32_MAX)
		BPF_SEQ_PRINTF(seq, "%-8u %-16s %-5s %-12llu ", key->tgid, line->comm, "-",
			       line->start);
	else if (key->tgid)
		BPF_SEQ_PRINTF(seq, "%-8u %-16s %-5u %-12llu ", key->tgid, line->comm, key->chip,
			       line->start);
	else
		BPF_SEQ_PRINTF(seq, "%-8u %-16s %-5s %-12u ", 0, "-", "-", 0);
	if (line->device < 0)
		BPF_SEQ_PRINTF(seq, "%-6s ", "-");
	else
		BPF_SEQ_PRINTF(seq, "%-6d ", line->device);
}

static __noinline void print_rest(struct seq_file *seq, const struct trace_line *line)
{
	BPF_SEQ_PRINTF(seq, "%-12llu %-14s %s\n", line->updated, word_of(line->state),
		       line->operation[0] && may_see(line) ? line->operation : "-");
}

static __noinline void print_heading(struct seq_file *seq)
{
	BPF_SEQ_PRINTF(seq, "PID      Comm             CHIP  START        DEVICE BUSY         ");
	BPF_SEQ_PRINTF(seq, "WINDOW       BOUND PROGRAMS   RUNNING      LAST         ");
	BPF_SEQ_PRINTF(seq, "UPDATED      STATE          OPERATION\n");
	BPF_SEQ_PRINTF(seq, "-------- ---------------- ----- ------------ ------ ------------ ");
	BPF_SEQ_PRINTF(seq, "------------ ----- ---------- ------------ ------------ ");
	BPF_SEQ_PRINTF(seq, "------------ -------------- ---------\n");
}

/* False: the tracer replaces the line at this moment. */
static __noinline bool copy_line(const struct bpf_iter__bpf_map_elem *ctx,
				 struct trace_line_key *key, struct trace_line *line)
{
#pragma clang loop unroll(disable)
	for (int i = 0; i < 4; i++) {
		if (bpf_probe_read_kernel(key, sizeof(*key), ctx->key) == 0 &&
		    bpf_probe_read_kernel(line, sizeof(*line), ctx->value) == 0 &&
		    line->check == trace_line_sum(key, line))
			return true;
	}
	return false;
}

SEC("iter/bpf_map_elem")
int dispatch(struct bpf_iter__bpf_map_elem *ctx)
{
	struct seq_file *seq = ctx->meta->seq;
	struct trace_line_key key;
	struct trace_line line;

	/* The call at the end, without a key, has seq_num 0 too if at most one line was printed. */
	if (ctx->meta->seq_num == 0 && (ctx->key || seq->count == 0))
		print_heading(seq);
	if (!ctx->key || !ctx->value || !copy_line(ctx, &key, &line))
		return 0;
	print_process(seq, &key, &line);
	print_figure(seq, &line);
	print_number(seq, line.running);
	print_number(seq, line.last);
	print_rest(seq, &line);
	return 0;
}
