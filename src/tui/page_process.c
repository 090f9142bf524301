/* The page of one process: its fields, and its memory over time. */
#include "tui/page_parts.h"

#include "render/chart.h"
#include "render/chart_text.h"
#include "render/format.h"
#include "render/plot.h"
#include "tui/paint.h"

enum { COURSE_WIDEST = 40, COURSE_NARROWEST = 10, COURSE_ROWS = 4, COURSE_LEFT = 31 };

/* Its memory over time: since it was first seen, up to an hour. */
static void put_history(struct buf *out, const struct ui *ui, const struct series *series)
{
	int64_t span_ns = chart_span(series->first.time_ns, ui_now(ui), HISTORY_PROCESS_SPAN_NS);
	int room = MIN(ui->columns - PAGE_FRAME - COURSE_LEFT, COURSE_WIDEST);
	CLEANUP_BUF struct buf title = { 0 };
	struct chart chart = { .series = series, .columns = (size_t)MAX(room, 0) };
	struct metric_range values[COURSE_WIDEST * PLOT_SIDES];
	struct plot_bar bars[COURSE_WIDEST * PLOT_SIDES];
	struct plot plot = { .bars = bars,
			     .columns = chart.columns,
			     .rows = COURSE_ROWS,
			     .characters = paint_characters(ui->settings.characters) };

	if (room < COURSE_NARROWEST)
		return;
	buf_puts(&title, "DRAM, ");
	chart_put_span(&title, span_ns);
	chart_place(&chart, ui_now(ui), span_ns);
	plot.top = chart_read(&chart, values);
	plot_measure(&plot, values);
	for (size_t i = 0; i < COURSE_ROWS; i++) {
		CLEANUP_BUF struct buf figure = { 0 };

		if (i == 0)
			format_bytes(&figure, (uint64_t)plot.top);
		else if (i + 1 == COURSE_ROWS)
			format_bytes(&figure, 0);
		buf_printf(out, "  %-16s %10s %s", i ? "" : buf_text(&title), buf_text(&figure),
			   paint_symbol("┤", "|"));
		plot_row(out, &plot, i);
		buf_putc(out, '\n');
	}
}

enum which { ALL_FIELDS, KNOWN_FIELDS };

static void put_fields(struct buf *out, const struct field_table *table, const void *object,
		       enum which which)
{
	for (unsigned i = 0; i < table->count; i++) {
		struct value value;

		field_get(table, i, object, &value);
		if (which == ALL_FIELDS || value.why == KNOWN)
			page_put_field(out, table, i, object);
	}
}

static void put_process(struct buf *out, const struct ui *ui, const struct process *process,
			enum which which)
{
	const struct snapshot *snapshot = ui_snapshot(ui);

	put_fields(out, &process_fields, process, which);
	for (size_t i = 0; i < process->n_usages; i++) {
		const struct usage *usage = &process->usages[i];
		const struct device *dev = &snapshot->devices[usage->device];
		const struct series *series;

		series = history_of_process(ui->history, process, dev);
		buf_printf(out, "On device %s\n", dev->id);
		if (series && series->samples)
			put_history(out, ui, series);
		put_fields(out, &usage_fields, usage, which);
	}
}

void page_put_process(struct buf *out, const struct ui *ui)
{
	const struct snapshot *snapshot = ui_snapshot(ui);
	const struct process *process =
		snapshot ? snapshot_find_process(snapshot, ui->detail_pid) : NULL;

	if (process)
		put_process(out, ui, process, ALL_FIELDS);
	else
		buf_printf(out, "Process %d has exited\n", ui->detail_pid);
	buf_puts(out, ui->detail.length ? buf_text(&ui->detail) : "Environment: being read\n");
}

void page_put_selected(struct buf *out, const struct ui *ui)
{
	const struct process *process = ui_process(ui);

	if (process)
		put_process(out, ui, process, KNOWN_FIELDS);
}
