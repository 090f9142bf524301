/* Pools in the memory monitor: used and total, bar, peak, growth. */
#include "render/mem_parts.h"

#include "basic/macros.h"
#include "render/device_style.h"
#include "render/format.h"
#include "render/lower_bound.h"

enum {
	BAR_CELLS = 25,
	NARROW_BAR_CELLS = 12,
	LONGEST_BAR = 80,
	VALUE_WIDTH = 10,
	SHARE_WIDTH = 7,
};

uint64_t mem_peak(const struct mem_view *view, size_t device, enum pool pool)
{
	const struct snapshot *snapshot = view->snapshot;
	const struct series *series = history_of_device(view->history, &snapshot->devices[device]);
	uint64_t peak = series ? series->peak[pool] : 0;

	for (size_t i = 0; i < snapshot->n_processes; i++) {
		const struct usage *usage = process_find_usage(&snapshot->processes[i], device);

		if (usage && usage->why[usage_pools[pool].peak] == KNOWN)
			peak = MAX(peak, usage->peak[pool]);
	}
	return peak;
}

/* Columns beyond the narrowest that all texts fit into make it longer. */
static size_t bar_cells(size_t columns)
{
	enum { ENOUGH = 120 };

	if (columns < MEM_NARROW)
		return NARROW_BAR_CELLS;
	return MIN(BAR_CELLS + (columns > ENOUGH ? columns - ENOUGH : 0), LONGEST_BAR);
}

static void put_bar(struct text_line *line, double ratio, enum rounding rounding)
{
	size_t cells = bar_cells(line->options->columns);
	CLEANUP_BUF struct buf bar = { 0 }, share = { 0 };
	enum style style = memory_style(ratio);

	buf_puts(&bar, "  ");
	format_bar(&bar, ratio, cells, line->options->utf8);
	buf_puts(&share, rounding_mark(rounding, line->options->utf8));
	rounding_put_percent(&share, ratio, 1, rounding);
	buf_putc(&share, '%');
	text_line_put(line, style, buf_text(&bar));
	text_line_cell_right(line, SHARE_WIDTH, style, buf_text(&share));
}

static void put_peak(struct text_line *line, const struct mem_view *view, size_t device,
		     enum pool pool, const char *bound)
{
	CLEANUP_BUF struct buf text = { 0 };

	buf_printf(&text, "   peak %s", bound);
	format_bytes_fine(&text, mem_peak(view, device, pool));
	text_line_put(line, STYLE_PLAIN, buf_text(&text));
}

/* The change since the first sample. */
static void put_change(struct text_line *line, const struct series *series, enum pool pool,
		       uint64_t used)
{
	CLEANUP_BUF struct buf text = { 0 };
	uint64_t before;

	if (!series_spans_time(series))
		return;
	before = series->first.last[pool];
	buf_puts(&text, used < before ? "   -" : "   +");
	format_bytes(&text, used < before ? before - used : used - before);
	if (line->options->columns >= MEM_NARROW)
		buf_puts(&text, " since start");
	text_line_put(line, STYLE_PLAIN, buf_text(&text));
}

static void put_pool(struct text_line *line, const struct mem_view *view, size_t device,
		     enum pool pool)
{
	const struct device *dev = &view->snapshot->devices[device];
	const struct device_pool *fields = &device_pools[pool];
	uint64_t used_bytes = dev->memory_used[pool], total_bytes = dev->memory_total[pool];
	CLEANUP_BUF struct buf used = { 0 }, total = { 0 };
	bool known = device_knows(dev, fields->used), has_total = device_knows(dev, fields->total);
	const char *bound = lower_bound_of_device(dev, fields->used, line->options->utf8);

	text_line_printf(line, STYLE_BOLD, "  %-5s", pool_name(pool));
	if (known) {
		buf_puts(&used, bound);
		format_bytes_fine(&used, used_bytes);
	}
	text_line_cell_right(line, VALUE_WIDTH + 1, known ? STYLE_PLAIN : STYLE_DIM,
			     known ? buf_text(&used) : "N/A");
	if (has_total)
		format_bytes_fine(&total, total_bytes);
	text_line_put(line, STYLE_PLAIN, " / ");
	text_line_cell(line, VALUE_WIDTH - 1, has_total ? STYLE_PLAIN : STYLE_DIM,
		       has_total ? buf_text(&total) : "N/A");
	if (!known) {
		text_line_printf(line, STYLE_DIM, "  %s", reason_text(dev->why[fields->used]));
	} else {
		if (has_total && total_bytes)
			put_bar(line, (double)used_bytes / (double)total_bytes,
				lower_bound_rounding(dev, fields->used));
		put_peak(line, view, device, pool, bound);
		put_change(line, history_of_device(view->history, dev), pool, used_bytes);
	}
	text_line_end(line);
}

/* A part of a pool, or what stands apart from it: only if there is any. */
static void put_part(struct text_line *line, const char *text, const char *bound, uint64_t bytes,
		     const char *after)
{
	CLEANUP_BUF struct buf amount = { 0 };

	if (bytes == 0)
		return;
	format_bytes_fine(&amount, bytes);
	text_line_printf(line, STYLE_PLAIN, "   %s %s%s%s", text, bound, buf_text(&amount), after);
}

static uint64_t sum_of(const struct snapshot *snapshot, size_t device, enum usage_field field)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < snapshot->n_processes; i++) {
		const struct usage *usage = process_find_usage(&snapshot->processes[i], device);
		struct value value;

		if (!usage)
			continue;
		field_get(&usage_fields, field, usage, &value);
		sum += value.why == KNOWN ? value.exact : 0;
	}
	return sum;
}

static void end_parts(struct text_line *line)
{
	if (line->at)
		text_line_end(line);
}

void mem_put_pools(struct text_line *line, const struct mem_view *view, size_t device)
{
	const struct device *dev = &view->snapshot->devices[device];
	bool known = device_knows(dev, DEV_DRAM_USED);
	const char *bound = lower_bound_of_device(dev, DEV_DRAM_USED, line->options->utf8);

	put_pool(line, view, device, POOL_DRAM);
	if (known)
		put_part(line, "of which TRACE", bound, dev->memory_used[POOL_TRACE], "");
	end_parts(line);
	put_pool(line, view, device, POOL_L1);
	if (known) {
		put_part(line, "of which L1_SMALL", bound, dev->memory_used[POOL_L1_SMALL], "");
		put_part(line, "circular buffers", bound, dev->memory_used[POOL_CB],
			 " (as reported)");
		put_part(line, "kernels", bound, sum_of(view->snapshot, device, USE_KERNEL),
			 " (as reported)");
		put_part(line, "host", bound, sum_of(view->snapshot, device, USE_SYSTEM), "");
	}
	end_parts(line);
}
