/*
 * What `cat` of the pinned files `allocations` and `holders` prints. The kernel runs the first
 * program once for each traced process, the second one for each open file of each task, and both
 * once more at the end, without an object. docs/tracing.md describes the texts.
 *
 * If a line does not fit into the reader's buffer, the kernel discards it and runs the program
 * again for the same object in the next read().
 */
#include "trace/kernel/iterator.h"

struct bpf_iter__task_file {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	uint32_t fd;
	struct file *file;
} KERNEL_STRUCT;

#define RETURN_IF_SET(name, word, ...)                            \
	if (process->flags & TRACE_FAULT_BIT(TRACE_FAULT_##name)) \
		return "unreliable:" word;

/* The first of its faults. */
static const char *state_of(const struct trace_process *process)
{
	TRACE_FAULTS(RETURN_IF_SET)
	return process->flags & TRACE_SINCE_ATTACH ? "since-attach" : "exact";
}

static __always_inline void print_figures(struct seq_file *seq, const struct trace_chip *chip)
{
	BPF_SEQ_PRINTF(seq, "%-10llu %-10llu %-10llu %-10llu %-10llu %-10llu ",
		       chip->bytes[METAL_DRAM], chip->bytes[METAL_L1], chip->bytes[METAL_L1_SMALL],
		       chip->bytes[METAL_TRACE], chip->buffers, chip->bytes[METAL_SYSTEM]);
}

static __always_inline void chip_sum(struct trace_chip *to, const struct trace_chip *from)
{
	for (int i = 0; i < METAL_TYPES; i++)
		to->bytes[i] += from->bytes[i];
	to->buffers += from->buffers;
}

/*
 * The sums of this reading; NULL before its first line. The figures of the current line are in
 * `last`, and are added only when the next line begins, since a line may be written again. Nothing
 * runs when the file is closed, so the map is an LRU map and evicts old entries.
 */
static __always_inline struct trace_sums *sums_of(uint64_t session, uint64_t line, bool end)
{
	struct trace_sums *found = bpf_map_lookup_elem(&sums, &session);

	if (!found)
		return NULL;
	if (found->line != line || end)
		chip_sum(&found->all, &found->last);
	__builtin_memset(&found->last, 0, sizeof(found->last));
	found->line = line;
	return found;
}

static __always_inline struct trace_sums *sums_begin(uint64_t session)
{
	struct trace_sums fresh = { 0 };

	bpf_map_update_elem(&sums, &session, &fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(&sums, &session);
}

static __always_inline void print_chip(struct seq_file *seq, uint32_t tgid, const struct name *name,
				       const struct trace_process *process, unsigned i,
				       struct trace_sums *total)
{
	struct trace_chip figures = process->chip[i];

	BPF_SEQ_PRINTF(seq, "%-8u %-16s ", tgid, name->text);
	print_figures(seq, &figures);
	BPF_SEQ_PRINTF(seq, "%-5u %-12llu %s\n", i, process->start, state_of(process));
	if (!(process->flags & ~TRACE_SINCE_ATTACH))
		chip_sum(&total->last, &figures);
}

static __always_inline void print_none(struct seq_file *seq, uint32_t tgid, const struct name *name,
				       const struct trace_process *process)
{
	struct trace_chip figures = { 0 };

	BPF_SEQ_PRINTF(seq, "%-8u %-16s ", tgid, name->text);
	print_figures(seq, &figures);
	BPF_SEQ_PRINTF(seq, "%-5s %-12llu %s\n", "-", process->start, state_of(process));
}

static __always_inline void print_total(struct seq_file *seq, const struct trace_sums *total)
{
	BPF_SEQ_PRINTF(seq, "\n%-8s %-16s ", "TOTAL", "-");
	print_figures(seq, &total->all);
	BPF_SEQ_PRINTF(seq, "%-5s %-12s %s\n", "-", "-", "-");
}

SEC("iter/bpf_map_elem")
int allocations(struct bpf_iter__bpf_map_elem *ctx)
{
	struct seq_file *seq = ctx->meta->seq;
	struct trace_process *process = ctx->value;
	uint64_t session = ctx->meta->session_id;
	struct name name = { 0 };
	uint32_t *tgid = ctx->key;
	struct trace_sums *total = sums_of(session, ctx->meta->seq_num, !tgid);

	if (!total) {
		total = sums_begin(session);
		BPF_SEQ_PRINTF(seq, "PID      Comm             DRAM       L1         L1_SMALL   ");
		BPF_SEQ_PRINTF(seq, "TRACE      BUFFERS    SYSTEM     CHIP  START        STATE\n");
		BPF_SEQ_PRINTF(seq, "-------- ---------------- ---------- ---------- ---------- ");
		BPF_SEQ_PRINTF(seq, "---------- ---------- ---------- ----- ------------ -----\n");
	}
	if (!total)
		return 0;
	if (!tgid || !process) {
		print_total(seq, total);
		return 0;
	}
	if (!process->start)
		return 0; /* the entry is being filled */
	name_clean(&name, process->comm);
	if (!process->chips)
		print_none(seq, *tgid, &name, process);
	for (unsigned i = 0; i < TRACE_CHIPS; i++) {
		if (process->chips >> i & 1)
			print_chip(seq, *tgid, &name, process, i, total);
	}
	return 0;
}

/*
 * Does this reading have a line for this process and device already? One is enough: a process may
 * have a million descriptors.
 */
static __always_inline bool is_listed(const struct bpf_iter_meta *meta, uint32_t tgid,
				      uint32_t device)
{
	struct trace_listed fresh = { .tgid = tgid }, *found;
	uint64_t session = meta->session_id, bit = UINT64_C(1) << device % 64;

	found = bpf_map_lookup_elem(&listed, &session);
	if (!found || found->tgid != tgid) {
		bpf_map_update_elem(&listed, &session, &fresh, BPF_ANY);
		found = bpf_map_lookup_elem(&listed, &session);
	}
	if (!found || device >= TRACE_DEVICES)
		return false;
	if (found->devices[device / 64] & bit)
		return found->line != meta->seq_num; /* the same line may be written again */
	found->devices[device / 64] |= bit;
	found->line = meta->seq_num;
	return false;
}

/*
 * The device of an open file, or NULL. A node without links was removed (the driver was unbound),
 * and its number may be reused by another card.
 */
static __always_inline struct trace_device *device_of(const struct file *file)
{
	const struct inode *inode = file->f_inode;
	uint32_t rdev;

	if ((inode->i_mode & 0170000) != 0020000 || inode->i_nlink == 0)
		return NULL;
	rdev = inode->i_rdev;
	return bpf_map_lookup_elem(&devices, &rdev);
}

static __always_inline const char *role_of(uint32_t tgid, uint64_t start)
{
	struct trace_role *role = bpf_map_lookup_elem(&roles, &tgid);

	if (!role || role->start != start)
		return "-";
	return role->role == TRACE_ROLE_MONITOR ? "monitor" : "job";
}

SEC("iter/task_file")
int holders(struct bpf_iter__task_file *ctx)
{
	struct seq_file *seq = ctx->meta->seq;
	struct task_struct *task = ctx->task;
	struct file *file = ctx->file;
	struct name name = { 0 };
	struct trace_device *device;
	uint64_t start;

	if (task && ctx->meta->seq_num == 0) {
		BPF_SEQ_PRINTF(seq,
			       "PID      Comm             DEVICE   FD       START        ROLE\n");
		BPF_SEQ_PRINTF(seq,
			       "-------- ---------------- -------- -------- ------------ ----\n");
	}
	if (!task || !file)
		return 0;
	device = device_of(file);
	if (!device || is_listed(ctx->meta, task->tgid, device->index))
		return 0;
	name_clean(&name, task->group_leader->comm);
	start = task->group_leader->start_boottime / TRACE_NS_PER_TICK;
	BPF_SEQ_PRINTF(seq, "%-8d %-16s %-8u %-8u %-12llu %s\n", task->tgid, name.text,
		       device->index, ctx->fd, start, role_of(task->tgid, start));
	return 0;
}
