#include "render/tips.h"

#include <string.h>

/* What helps against unknown memory of a process. */
enum remedy {
	REMEDY_NONE,
	REMEDY_TRACKING, /* it reports nothing and is not traced */
	REMEDY_ROOT,	 /* it belongs to another user */
	REMEDY_VERSION,	 /* its TT-Metal is unknown */
	REMEDY_DEVICES,	 /* its list of devices is unclear */
	REMEDY_N,
};

/* What is on the screen. */
struct tip_counts {
	size_t processes[REMEDY_N];
	bool traced; /* the tracer runs: a process that it does not know cannot be traced */
};

static enum remedy remedy_of_reason(enum reason why)
{
	static const enum remedy remedies[REASON_N] = {
		[NO_TRACKER] = REMEDY_TRACKING,
		[NOT_REPORTED] = REMEDY_TRACKING,
		[DENIED] = REMEDY_ROOT,
		[UNKNOWN_VERSION] = REMEDY_VERSION,
		[TRACE_UNKNOWN_SHAPE] = REMEDY_VERSION,
		[DEVICE_LIST_INVALID] = REMEDY_DEVICES,
		[DEVICE_LIST_AMBIGUOUS] = REMEDY_DEVICES,
		[DEVICE_LIST_MISMATCH] = REMEDY_DEVICES,
	};

	if (remedies[why] == REMEDY_NONE && reason_trace_fault(why))
		return REMEDY_TRACKING; /* the preloaded library has no such fault */
	return remedies[why];
}

/* Monitors use no memory. If the memory on one device is known, so are the others. */
static enum remedy remedy_of(const struct process *process)
{
	enum reason why = process->n_usages ? process->usages[0].why[USE_DRAM] : NO_TRACKER;

	if (process->role == ROLE_MONITOR || process->holding == HOLDING_OPENER_GONE)
		return REMEDY_NONE;
	for (size_t i = 0; i < process->n_usages; i++)
		if (process->usages[i].why[USE_DRAM] == KNOWN)
			return REMEDY_NONE;
	if (why == NO_TRACKER && process->evidence.why_hidden == DENIED)
		return REMEDY_ROOT;
	return remedy_of_reason(why);
}

static struct tip_counts count_remedies(const struct snapshot *snapshot)
{
	struct tip_counts counts = { 0 };

	for (size_t i = 0; i < snapshot->n_processes; i++) {
		const struct process *process = &snapshot->processes[i];

		counts.processes[remedy_of(process)]++;
		for (size_t k = 0; k < process->n_usages; k++)
			counts.traced |= process->usages[k].tracking == TRACKING_TRACED ||
					 reason_trace_fault(process->usages[k].why[USE_DRAM]);
	}
	return counts;
}

/* The folder of the command with its '/', which the other programs share. */
static int folder_length(const char *command)
{
	const char *slash = strrchr(command, '/');

	return slash ? (int)(slash - command) + 1 : 0;
}

static void begin_tip(struct buf *out, const struct render_options *options, size_t count,
		      const char *what)
{
	buf_printf(out, "\n%sTIP: %zu process%s %s\n", options->utf8 ? "💡 " : "", count,
		   count == 1 ? "" : "es", what);
}

static void put_tracking(struct buf *out, const struct render_options *options, size_t count,
			 bool traced)
{
	const char *command = options->command;

	begin_tip(out, options, count, "without memory tracking");
	buf_printf(out, "   The next time: %s run -- COMMAND\n", command);
	if (options->can_trace && !traced)
		buf_printf(out, "   Without a restart: sudo %s trace start\n", command);
}

static void put_root(struct buf *out, const struct render_options *options, size_t count,
		     bool server)
{
	const char *command = options->command;

	begin_tip(out, options, count, "of other users, whose memory only root may read");
	buf_printf(out, "   Once:          sudo %s\n", command);
	if (!server)
		buf_printf(out, "   For all users: sudo %.*stt_allocd\n", folder_length(command),
			   command);
}

void tips_put(struct buf *out, const struct render_options *options,
	      const struct snapshot *snapshot)
{
	struct tip_counts counts = count_remedies(snapshot);
	size_t before = out->length, unknown = 0;

	for (enum remedy i = REMEDY_NONE + 1; i < REMEDY_N; i++)
		unknown += counts.processes[i];
	if (snapshot->server_unresponsive && unknown)
		buf_printf(out, "\n%sTIP: The allocation server does not answer\n",
			   options->utf8 ? "💡 " : "");
	if (counts.processes[REMEDY_TRACKING])
		put_tracking(out, options, counts.processes[REMEDY_TRACKING], counts.traced);
	if (counts.processes[REMEDY_ROOT])
		put_root(out, options, counts.processes[REMEDY_ROOT],
			 snapshot->server_pid || snapshot->server_unresponsive);
	if (counts.processes[REMEDY_VERSION]) {
		begin_tip(out, options, counts.processes[REMEDY_VERSION],
			  "with a TT-Metal that this version does not know");
		buf_puts(out, "   Install a newer tt_smi, or report memory: man 3 libttalloc\n");
	}
	if (counts.processes[REMEDY_DEVICES]) {
		begin_tip(out, options, counts.processes[REMEDY_DEVICES],
			  "with an ambiguous TT_VISIBLE_DEVICES");
		buf_puts(out, "   Use full PCI addresses, such as 0000:01:00.0\n");
	}
	if (out->length > before)
		buf_printf(out, "   Run %s doctor to see why memory is unknown and how to fix it\n",
			   options->command);
}
