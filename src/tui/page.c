#include "tui/page.h"

#include "basic/text.h"
#include "render/lower_bound.h"
#include "render/format.h"
#include "render/mem_parts.h"
#include "render/render.h"
#include "tui/device_text.h"
#include "tui/paint.h"

#include <math.h>
#include <string.h>

size_t page_lines(const struct buf *text)
{
	size_t lines = 0;

	for (size_t i = 0; i < text->length; i++)
		lines += text->data[i] == '\n';
	return lines;
}

/* Bytes of the line up to a blank, unless that would leave half of it empty. */
static size_t break_at(const char *line, size_t fit)
{
	for (size_t n = fit; n > fit / 2; n--)
		if (line[n] == ' ')
			return n;
	return fit;
}

/* Values may be long, and people want to read all of them: lines that follow are indented. */
static void wrap_line(struct buf *out, const char *line, size_t length, size_t width)
{
	enum { INDENT = 4 };
	CLEANUP_BUF struct buf clean = { 0 };

	text_clean(&clean, line, length, paint_is_utf8());
	line = buf_text(&clean);
	length = clean.length;
	for (size_t room = width; width > 2 * INDENT && text_width(line, length) > room;) {
		size_t n = break_at(line, text_fit(line, length, room));

		buf_add(out, line, n);
		buf_printf(out, "\n%*s", INDENT, "");
		n += line[n] == ' ';
		line += n;
		length -= n;
		room = width - INDENT;
	}
	buf_add(out, line, length);
	buf_putc(out, '\n');
}

void page_wrap(struct buf *out, const struct buf *text, int width)
{
	for (const char *at = buf_text(text); *at;) {
		size_t length = strcspn(at, "\n");

		if (length > (size_t)MAX(width, 0)) {
			wrap_line(out, at, length, (size_t)MAX(width, 0));
		} else {
			buf_add(out, at, length);
			buf_putc(out, '\n');
		}
		at += length + (at[length] == '\n');
	}
}

/* Text from elsewhere, filled up to so many columns: it must not make lines of its own. */
static void put_cell(struct buf *out, const char *text, size_t columns)
{
	CLEANUP_BUF struct buf clean = { 0 };
	size_t width;

	text_clean(&clean, text, strlen(text), paint_is_utf8());
	width = text_width(buf_text(&clean), clean.length);
	buf_puts(out, buf_text(&clean));
	buf_fill(out, ' ', columns - MIN(width, columns));
}

static void put_help(struct buf *out)
{
	for (size_t i = 0; i < n_keys; i++)
		buf_printf(out, "%-10s %s\n", keys[i].names, keys[i].help);
	buf_puts(out, "\nColumns of the processes, for F4 and F6\n");
	for (size_t i = 0; i < PROCESS_COLUMNS; i++)
		buf_printf(out, "%-10s %s\n", process_columns[i].key, process_columns[i].help);
	buf_puts(out, "\nSigns\n");
	for (size_t i = 0; i < n_sign_infos; i++) {
		put_cell(out, paint_sign(sign_infos[i].sign, sign_infos[i].ascii), 10);
		buf_printf(out, " %s\n", sign_infos[i].help);
	}
}

/* ---- fields ---- */

static void put_value(struct buf *out, const struct value *value)
{
	if (value->why == NOT_APPLICABLE)
		buf_puts(out, "-");
	else if (value->why != KNOWN)
		buf_printf(out, "N/A (%s)", reason_text(value->why));
	else if (value->field->unit == U_BYTE)
		format_bytes(out, value->exact);
	else if (value->field->unit == U_BYTE_RATE)
		format_rate(out, value->number);
	else if (value->field->unit == U_SECOND)
		format_duration(out, value->number);
	else
		format_value(out, value, true);
}

/* A figure that is not all there is says so. */
static const char *bound_of(const struct field_table *table, unsigned field, const void *object)
{
	if (table == &device_fields)
		return lower_bound_of_device(object, field, paint_is_utf8());
	if (table == &usage_fields)
		return lower_bound_of_usage(object, field, paint_is_utf8());
	return "";
}

static void put_field(struct buf *out, const struct field_table *table, unsigned field,
		      const void *object)
{
	CLEANUP_BUF struct buf text = { 0 };
	struct value value;

	field_get(table, field, object, &value);
	if (!value.field->label)
		return;
	buf_printf(out, "  %-28s %s", value.field->label,
		   value.why == KNOWN ? bound_of(table, field, object) : "");
	put_value(&text, &value);
	put_cell(out, buf_text(&text), 0);
	buf_putc(out, '\n');
}

/* ---- one device ---- */

/* By section, in the order in which the table of fields first names them. */
static void put_sections(struct buf *out, const struct device *dev)
{
	for (unsigned i = 0; i < device_fields.count; i++) {
		const char *section = device_fields.fields[i].section;
		bool first = section != NULL;

		for (unsigned k = 0; k < i && first; k++)
			first = !device_fields.fields[k].section ||
				strcmp(device_fields.fields[k].section, section) != 0;
		if (!first)
			continue;
		buf_printf(out, "%s\n", section);
		for (unsigned k = i; k < device_fields.count; k++)
			if (device_fields.fields[k].section &&
			    strcmp(device_fields.fields[k].section, section) == 0)
				put_field(out, &device_fields, k, dev);
	}
}

static void put_holders(struct buf *out, const struct snapshot *snapshot, const struct device *dev)
{
	size_t position = (size_t)(dev - snapshot->devices);

	buf_puts(out, "PROCESSES\n");
	if (!device_knows(dev, DEV_PROCESSES))
		buf_printf(out, "  which processes use it is not known (%s)\n",
			   reason_text(dev->why[DEV_PROCESSES]));
	for (size_t i = 0; i < snapshot->n_processes; i++) {
		const struct process *process = &snapshot->processes[i];
		const struct usage *usage = process_find_usage(process, position);
		char label[64];

		if (!usage)
			continue;
		process_label(process, label, sizeof(label));
		buf_printf(out, "  %-7d ", process->pid);
		put_cell(out, label, 21);
		if (usage->why[USE_DRAM] == KNOWN) {
			buf_puts(out, lower_bound_of_usage(usage, USE_DRAM, paint_is_utf8()));
			format_bytes(out, usage->bytes[POOL_DRAM]);
		} else if (process->role == ROLE_MONITOR) {
			buf_puts(out, role_names[process->role]);
		} else {
			buf_printf(out, "N/A (%s)", reason_text(usage->why[USE_DRAM]));
		}
		buf_putc(out, '\n');
	}
	for (size_t i = 0; i < snapshot->n_stale_usages; i++) {
		const struct stale_usage *stale = &snapshot->stale_usages[i];

		if (stale->device != position)
			continue;
		buf_printf(out, "  %-7d ", stale->pid);
		put_cell(out, stale->name, 21);
		format_bytes(out, stale->bytes[POOL_DRAM]);
		buf_printf(out, "  %s\n", stale_usage_status(stale));
	}
}

static void put_device(struct buf *out, const struct ui *ui)
{
	const struct device *dev = ui_device(ui, ui->device);

	if (!dev)
		return;
	put_sections(out, dev);
	put_holders(out, ui_snapshot(ui), dev);
	for (size_t i = 0; i < ui_snapshot(ui)->n_problems; i++)
		buf_printf(out, "%s%s: %s\n", i ? "" : "PROBLEMS\n",
			   ui_snapshot(ui)->problems[i].source, ui_snapshot(ui)->problems[i].text);
}

/* ---- one process ---- */

enum { FRAME = 4 }; /* columns around a text that lies over the view */
enum { COURSE_WIDEST = 40, COURSE_NARROWEST = 10, COURSE_ROWS = 4, COURSE_LEFT = 31 };

/* A reading for each column; returns the most of them. */
static double read_course(const struct ui *ui, const struct series *series, double *values,
			  size_t columns)
{
	int64_t step = HISTORY_SPAN_NS / (int64_t)columns, from = ui_now(ui) - HISTORY_SPAN_NS;
	double most = 0;

	for (size_t i = 0; i < columns; i++, from += step) {
		double value = NAN;
		uint64_t bytes;

		if (series_most(series, QUANTITY_DRAM, from + 1, from + step + 1, step, &bytes))
			most = MAX(most, value = (double)bytes);
		for (size_t side = 0; side < PLOT_SIDES; side++)
			values[i * PLOT_SIDES + side] = value;
	}
	return most;
}

/* How its memory went, as far as that is remembered. */
static void put_course(struct buf *out, const struct ui *ui, const struct series *series)
{
	int room = MIN(ui->columns - FRAME - COURSE_LEFT, COURSE_WIDEST);
	double values[COURSE_WIDEST * PLOT_SIDES];
	struct plot plot = { .values = values,
			     .columns = (size_t)MAX(room, 0),
			     .rows = COURSE_ROWS,
			     .signs = paint_signs(ui->settings.signs) };

	if (room < COURSE_NARROWEST)
		return;
	plot.top = read_course(ui, series, values, plot.columns);
	for (size_t i = 0; i < COURSE_ROWS; i++) {
		CLEANUP_BUF struct buf figure = { 0 };

		if (i == 0)
			format_bytes(&figure, (uint64_t)plot.top);
		else if (i + 1 == COURSE_ROWS)
			buf_puts(&figure, "0");
		buf_printf(out, "  %-16s %10s %s", i ? "" : "DRAM, 10 min", buf_text(&figure),
			   paint_sign("┤", "|"));
		plot_row(out, &plot, i);
		buf_putc(out, '\n');
	}
}

static void put_process(struct buf *out, const struct ui *ui)
{
	const struct snapshot *snapshot = ui_snapshot(ui);
	const struct process *process =
		snapshot ? snapshot_find_process(snapshot, ui->detail_pid) : NULL;

	if (!process)
		buf_printf(out, "Process %d is gone\n", ui->detail_pid);
	for (unsigned i = 0; process && i < process_fields.count; i++)
		put_field(out, &process_fields, i, process);
	for (size_t i = 0; process && i < process->n_usages; i++) {
		const struct usage *usage = &process->usages[i];
		const struct device *dev = &snapshot->devices[usage->device];
		const struct series *series;

		series = history_of_process(ui->history, process, dev);
		buf_printf(out, "On device %s\n", dev->id);
		if (series && series->samples)
			put_course(out, ui, series);
		for (unsigned k = 0; k < usage_fields.count; k++)
			put_field(out, &usage_fields, k, usage);
	}
	buf_puts(out, ui->detail.length ? buf_text(&ui->detail) : "Environment: being read\n");
}

/* ---- memory of one device ---- */

/* As tt_smi mem has it: pools, who holds how much and whether it grows, single allocations. */
static void put_memory(struct buf *out, const struct ui *ui)
{
	const struct device *dev = ui_device(ui, ui->device);
	const struct render_options options = { .version = ui->version,
						.utf8 = paint_is_utf8(),
						.columns = (size_t)MAX(ui->layout.page.width, 1) };
	const struct mem_view view = { .snapshot = ui_snapshot(ui),
				       .history = ui->history,
				       .period_ms = ui->settings.refresh_ms };
	struct text_line line = { .out = out, .options = &options };
	size_t position;

	if (!dev)
		return;
	position = (size_t)(dev - view.snapshot->devices);
	mem_put_pools(&line, &view, position);
	text_line_end(&line);
	mem_put_processes(&line, &view, position, SIZE_MAX);
	mem_put_allocations(&line, &view, position);
}

void page_of_view(const struct ui *ui, struct buf *out)
{
	CLEANUP_BUF struct buf text = { 0 };

	if (ui->settings.view == VIEW_MEMORY) {
		put_memory(out, ui); /* in columns, as wide as there is room */
		return;
	}
	put_device(&text, ui);
	page_wrap(out, &text, ui->layout.page.width);
}

void page_of_overlay(const struct ui *ui, struct buf *out)
{
	CLEANUP_BUF struct buf text = { 0 };

	if (ui->overlay == OVERLAY_HELP)
		put_help(&text);
	else
		put_process(&text, ui);
	page_wrap(out, &text, ui->columns - FRAME);
}

void page_go_to(struct ui *ui, const char *anchor)
{
	CLEANUP_BUF struct buf text = { 0 };
	const char *at;
	size_t line = 0;

	if (!anchor || ui->overlay != OVERLAY_DETAIL)
		return;
	page_of_overlay(ui, &text);
	for (at = buf_text(&text); *at && strncmp(at, anchor, strlen(anchor)) != 0; line++) {
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
	if (*at)
		ui->overlay_top = line;
}
