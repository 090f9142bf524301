#include "render/render.h"

#include <string.h>

static const char *tracked_text(enum tracking source)
{
	switch (source) {
	case TRACKING_TABLE: return "Reports itself";
	case TRACKING_WIRE: return "Connected to server";
	case TRACKING_PRELOAD: return "Preloaded";
	case TRACKING_TRACED: return "Traced";
	case TRACKING_METAL: return "TT-Metal counters";
	case TRACKING_NONE:
	case TRACKING_N: break;
	}
	return "";
}

/* Why its memory is unknown, on the first of its devices. */
static void untracked_text(struct buf *out, const struct process *process)
{
	enum reason why = process->n_usages ? process->usages[0].why[USE_DRAM] : NO_TRACKER;

	if (process->holding == HOLDING_OPENER_GONE) {
		buf_puts(out, "Device open (opener exited)");
	} else if (why == DENIED || (why == NO_TRACKER && process->evidence.why_hidden == DENIED)) {
		buf_puts(out, "Device open (no permission");
		if (process_knows(process, PROC_UID))
			buf_printf(out, ": uid %u", process->uid);
		buf_putc(out, ')');
	} else if (why == NO_TRACKER) {
		buf_puts(out, "Device open (no tracking)");
	} else {
		buf_printf(out, "Device open (%s)", reason_text(why));
	}
}

void status_text(struct buf *out, const struct process *process)
{
	enum tracking best = TRACKING_NONE;
	bool connected = false, exact = true;
	size_t known = 0;

	for (size_t i = 0; i < process->n_usages; i++) {
		if (process->usages[i].why[USE_DRAM] != KNOWN)
			continue;
		known++;
		connected |= process->usages[i].connected;
		exact &= process->usages[i].exact;
		best = MAX(best, process->usages[i].tracking);
	}
	if (process->role == ROLE_MONITOR) {
		buf_puts(out, "Monitor (uses no memory)");
		return;
	}
	if (!known) {
		untracked_text(out, process);
		return;
	}
	buf_puts(out, connected ? "Connected to server" : tracked_text(best));
	if (best == TRACKING_TRACED && !exact)
		buf_puts(out, " (since attach)");
	if (known < process->n_usages)
		buf_printf(out, " (%zu of %zu devices)", known, process->n_usages);
}

static bool skip_start(const char **text, size_t *length, const char *start)
{
	size_t skipped = strlen(start);

	if (strncmp(*text, start, skipped) != 0)
		return false;
	*text += skipped;
	*length -= skipped;
	return true;
}

const char *stale_usage_status(const struct stale_usage *stale)
{
	return stale->why == STALE ? "Stale (gone), not counted" : "Out of sight, not counted";
}

void status_text_within(struct buf *out, const struct process *process, size_t width)
{
	CLEANUP_BUF struct buf whole = { 0 };
	const char *text;
	size_t length;

	status_text(&whole, process);
	text = buf_text(&whole);
	length = whole.length;
	if (length > width && skip_start(&text, &length, "Device open ("))
		length--; /* the closing parenthesis */
	if (length > width)
		skip_start(&text, &length, "tracing ");
	if (length > width && skip_start(&text, &length, "unreliable: ") &&
	    length + strlen("trace: ") <= width)
		buf_puts(out, "trace: ");
	buf_add(out, text, length);
}

/* Does the next device of the process have the next number? */
static bool is_neighbour(const struct snapshot *snapshot, const struct process *process, size_t i)
{
	const struct device *dev = &snapshot->devices[process->usages[i].device], *next;

	if (i + 1 >= process->n_usages)
		return false;
	next = &snapshot->devices[process->usages[i + 1].device];
	return next->index == dev->index + 1 && device_has_node(dev) && device_has_node(next);
}

void devices_text(struct buf *out, const struct snapshot *snapshot, const struct process *process)
{
	for (size_t i = 0; i < process->n_usages; i++) {
		size_t first = i;

		buf_printf(out, "%s%s", i ? "," : "",
			   snapshot->devices[process->usages[i].device].id);
		while (is_neighbour(snapshot, process, i))
			i++;
		if (i > first)
			buf_printf(out, "%c%s", i > first + 1 ? '-' : ',',
				   snapshot->devices[process->usages[i].device].id);
	}
}
