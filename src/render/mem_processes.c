/* Processes in the memory monitor. */
#include "render/mem_parts.h"

#include "render/format.h"
#include "render/growth_text.h"
#include "render/lower_bound.h"
#include "render/render.h"

#include <stdlib.h>

enum { PID_WIDTH = 8 };

/* Columns of the table of processes, before the rest that growth has. */
static const struct mem_widths {
	size_t name, amount, count;
	const char *count_heading;
} wide = { 24, 11, 13, "allocations" }, narrow = { 14, 10, 9, "allocs" };

static bool is_narrow(const struct text_line *line)
{
	return line->options->columns < MEM_NARROW;
}

static const struct mem_widths *widths_of(const struct text_line *line)
{
	return is_narrow(line) ? &narrow : &wide;
}

/* A process on the device of interest. */
struct mem_holder {
	const struct process *process;
	const struct usage *usage;
};

/* The known before the unknown, most memory first, then by pid. */
static int by_memory(const void *a, const void *b)
{
	const struct mem_holder *x = a, *y = b;
	bool x_known = x->usage->why[USE_DRAM] == KNOWN, y_known = y->usage->why[USE_DRAM] == KNOWN;

	if (x_known != y_known)
		return x_known ? -1 : 1;
	if (x_known && x->usage->bytes[POOL_DRAM] != y->usage->bytes[POOL_DRAM])
		return x->usage->bytes[POOL_DRAM] > y->usage->bytes[POOL_DRAM] ? -1 : 1;
	if (x_known && x->usage->bytes[POOL_L1] != y->usage->bytes[POOL_L1])
		return x->usage->bytes[POOL_L1] > y->usage->bytes[POOL_L1] ? -1 : 1;
	return (x->process->pid > y->process->pid) - (x->process->pid < y->process->pid);
}

/* The processes that hold a device; NULL: none, or out of memory. To be freed. */
static struct mem_holder *find_holders(const struct snapshot *snapshot, size_t device,
				       size_t *ret_count)
{
	struct mem_holder *holders = calloc(snapshot->n_processes + 1, sizeof(*holders));
	size_t count = 0;

	for (size_t i = 0; holders && i < snapshot->n_processes; i++) {
		const struct process *process = &snapshot->processes[i];
		const struct usage *usage = process_find_usage(process, device);

		if (usage)
			holders[count++] = (struct mem_holder){ process, usage };
	}
	if (holders)
		qsort(holders, count, sizeof(*holders), by_memory);
	*ret_count = count;
	return holders;
}

static void put_amount(struct text_line *line, const struct usage *usage, enum usage_field field,
		       size_t width)
{
	CLEANUP_BUF struct buf text = { 0 };
	struct value value;

	field_get(&usage_fields, field, usage, &value);
	if (value.why == KNOWN)
		buf_puts(&text, lower_bound_of_usage(usage, field, line->options->utf8));
	if (value.why != KNOWN)
		buf_puts(&text, value.why == NOT_APPLICABLE ? "-" : "N/A");
	else if (value.field->unit == U_BYTE)
		format_bytes_fine(&text, value.exact);
	else
		format_count(&text, value.exact);
	text_line_cell_right(line, width, value.why == KNOWN ? STYLE_PLAIN : STYLE_DIM,
			     buf_text(&text));
}

static void put_holder(struct text_line *line, const struct mem_view *view,
		       const struct mem_holder *holder, const struct device *dev)
{
	const struct mem_widths *widths = widths_of(line);
	CLEANUP_BUF struct buf text = { 0 };
	enum style style = STYLE_DIM;
	char label[160];

	text_line_put(line, STYLE_PLAIN, "  ");
	text_line_printf(line, STYLE_PLAIN, "%-*d", PID_WIDTH, holder->process->pid);
	process_label(holder->process, label, sizeof(label));
	text_line_cell(line, widths->name, STYLE_BOLD, label);
	put_amount(line, holder->usage, USE_DRAM, widths->amount);
	put_amount(line, holder->usage, USE_L1, widths->amount);
	put_amount(line, holder->usage, USE_ALLOCATIONS, widths->count);
	text_line_put(line, STYLE_PLAIN, "   ");
	if (holder->usage->why[USE_DRAM] == KNOWN) {
		style = growth_put(&text, history_of_process(view->history, holder->process, dev),
				   is_narrow(line));
	} else {
		status_text(&text, holder->process);
	}
	text_line_put(line, style, buf_text(&text));
	text_line_end(line);
}

static void put_nobody(struct text_line *line, const struct device *dev)
{
	if (device_knows(dev, DEV_PROCESSES))
		text_line_put(line, STYLE_DIM, "  No processes using this device");
	else
		text_line_printf(line, STYLE_DIM, "  Processes: N/A (%s)",
				 reason_text(dev->why[DEV_PROCESSES]));
	text_line_end(line);
}

static const char *heading(const struct field_table *table, unsigned field)
{
	return table->fields[field].column.heading;
}

static void put_headings(struct text_line *line)
{
	const struct mem_widths *widths = widths_of(line);

	text_line_put(line, STYLE_DIM, "  ");
	text_line_cell(line, PID_WIDTH, STYLE_DIM, heading(&process_fields, PROC_PID));
	text_line_cell(line, widths->name, STYLE_DIM, heading(&process_fields, PROC_NAME));
	text_line_cell_right(line, widths->amount, STYLE_DIM, heading(&usage_fields, USE_DRAM));
	text_line_cell_right(line, widths->amount, STYLE_DIM, heading(&usage_fields, USE_L1));
	text_line_cell_right(line, widths->count, STYLE_DIM, widths->count_heading);
	text_line_put(line, STYLE_DIM, "   growth");
	text_line_end(line);
}

/* Memory left by exited processes is in no sum, but still occupies the chip. */
static void put_stale_usage(struct text_line *line, const struct stale_usage *stale)
{
	const struct mem_widths *widths = widths_of(line);
	CLEANUP_BUF struct buf dram = { 0 }, l1 = { 0 };

	format_bytes_fine(&dram, stale->bytes[POOL_DRAM]);
	format_bytes_fine(&l1, stale->bytes[POOL_L1]);
	text_line_printf(line, STYLE_DIM, "  %-*d", PID_WIDTH, stale->pid);
	text_line_cell(line, widths->name, STYLE_DIM, stale->name);
	text_line_cell_right(line, widths->amount, STYLE_DIM, buf_text(&dram));
	text_line_cell_right(line, widths->amount, STYLE_DIM, buf_text(&l1));
	text_line_printf(line, STYLE_WARN, "   %s", stale_usage_status(stale));
	text_line_end(line);
}

void mem_put_stale_usages(struct text_line *line, const struct mem_view *view, size_t device)
{
	const struct snapshot *snapshot = view->snapshot;

	for (size_t i = 0; i < snapshot->n_stale_usages; i++)
		if (snapshot->stale_usages[i].device == device)
			put_stale_usage(line, &snapshot->stale_usages[i]);
}

void mem_put_processes(struct text_line *line, const struct mem_view *view, size_t device,
		       size_t most)
{
	const struct snapshot *snapshot = view->snapshot;
	const struct device *dev = &snapshot->devices[device];
	size_t count;
	CLEANUP_FREE struct mem_holder *holders = find_holders(snapshot, device, &count);

	if (count)
		put_headings(line);
	else
		put_nobody(line, dev);
	for (size_t i = 0; i < MIN(count, most); i++)
		put_holder(line, view, &holders[i], dev);
	if (count > most) {
		text_line_printf(line, STYLE_DIM, "  and %zu more", count - most);
		text_line_end(line);
	}
	mem_put_stale_usages(line, view, device);
}
