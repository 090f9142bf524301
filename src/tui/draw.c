#include "tui/draw.h"

#include "basic/clock.h"
#include "basic/text.h"
#include "model/device_health.h"
#include "render/device_text.h"
#include "render/sums_text.h"
#include "tui/key_bar.h"
#include "tui/page.h"
#include "tui/paint.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- the first line ---- */

/* Seconds since the last sample, if the next one is overdue; else 0. */
static unsigned long overdue(const struct ui *ui)
{
	const struct frame *latest = ui_newest(ui);
	int64_t limit = 3 * ui->settings.refresh_ms * NS_PER_MS + 2 * NS_PER_S, age;

	if (!latest)
		return 0;
	age = clock_now(CLOCK_MONOTONIC) - latest->taken_ns;
	return age > limit ? (unsigned long)(age / NS_PER_S) : 0;
}

/* Draws time and refresh period, at the right; returns the first column. */
static int draw_clock(const struct ui *ui)
{
	const struct snapshot *snapshot = ui_snapshot(ui);
	unsigned ms = ui->settings.refresh_ms;
	unsigned long late = overdue(ui);
	char text[96], date[16] = "", age[40] = "", period[16];
	int width, after;

	if (snapshot && ui->columns >= 60) { /* narrow screens have room for the devices only */
		time_t seconds = (time_t)(snapshot->wall_ns / NS_PER_S);
		struct tm local;

		localtime_r(&seconds, &local);
		strftime(date, sizeof(date), "%H:%M:%S", &local);
	}
	if (late)
		snprintf(age, sizeof(age), "NO SAMPLE FOR %lus  ", late);
	after = snprintf(period, sizeof(period), "  %.*fs ", ms % 1000 ? 1 : 0, ms / 1000.0);
	width = snprintf(text, sizeof(text), " %s%s%s%s", ui->paused ? "PAUSED  " : "", age, date,
			 period);
	if (width >= ui->columns)
		return ui->columns;
	if (date[0])
		paint_set_busiest(0, ui->columns - after - 1);
	paint_text(0, ui->columns - width, width, ui->paused || late ? STYLE_WARN : STYLE_BOLD,
		   text);
	return ui->columns - width;
}

static void draw_header(const struct ui *ui)
{
	const struct snapshot *snapshot = ui_snapshot(ui);
	int end = draw_clock(ui), at = 1;
	CLEANUP_BUF struct buf text = { 0 };

	if (snapshot && (snapshot->simulated || snapshot->recorded))
		at += paint_text(0, at, end - at, STYLE_WARN,
				 snapshot->simulated ? "SIMULATED" : "RECORDED") +
		      2;
	if (!snapshot || ui->columns >= 100) {
		buf_printf(&text, "tt-smi %s", ui->version);
		if (snapshot && snapshot->host.why[HOST_DRIVER] == KNOWN)
			buf_printf(&text, "  driver %s", snapshot->host.driver);
		if (snapshot && snapshot_server(snapshot))
			buf_printf(&text, "  %s", snapshot_server(snapshot));
		at += paint_buf(0, at, end - at, STYLE_BOLD, &text) + 2;
		buf_reset(&text);
	}
	if (snapshot)
		sums_put(&text, snapshot, paint_is_utf8(), (size_t)MAX(end - at, 0));
	paint_buf(0, at, end - at, STYLE_PLAIN, &text);
}

/* ---- the last line ---- */

static void draw_key_bar(const struct ui *ui, int row)
{
	struct key_place places[MAX_KEY_LABELS];
	size_t count = key_bar_place(ui->columns, ui->read_only, places);

	for (size_t i = 0; i < count; i++) {
		const struct key_label *label = places[i].label;
		bool here = places[i].is_view && i == (size_t)ui->settings.view;
		int at = places[i].column;

		at += paint_text(row, at, ui->columns - at, STYLE_BOLD, label->key);
		paint_text(row, at, ui->columns - at, here ? STYLE_TITLE : STYLE_KEY, label->text);
	}
}

/* Draws the keys of the setup screen. */
static void draw_setup_keys(const struct ui *ui, int row)
{
	CLEANUP_BUF struct buf text = { 0 };

	buf_printf(&text,
		   ui->columns < 80 ? "%s change  [ ] move  W write  Esc back"
				    : "%s change  Space on/off  [ ] move column  "
				      "I sort the other way  W write file  Esc back",
		   paint_symbol("◀ ▶", "< >"));
	paint_cell(row, 0, ui->columns, false, STYLE_KEY, buf_text(&text));
}

/* Shows the end of a text that does not fit, where the cursor is. */
static void draw_prompt(const struct ui *ui, int row, int width)
{
	const char *title = ui->overlay == OVERLAY_SEARCH ? "Find: " : "Filter: ";
	CLEANUP_BUF struct buf text = { 0 }, clean = { 0 };
	size_t room = (size_t)MAX(width - (int)strlen(title) - 1, 0), skip = 0;

	text_clean(&clean, ui->prompt, strlen(ui->prompt), paint_is_utf8());
	while (skip < clean.length &&
	       text_width(buf_text(&clean) + skip, clean.length - skip) > room)
		skip += MAX(text_fit(buf_text(&clean) + skip, clean.length - skip, 2), 1);
	buf_printf(&text, "%s%s%s", title, buf_text(&clean) + skip, paint_symbol("▏", "_"));
	paint_cell(row, 0, width, false, STYLE_BOLD, buf_text(&text));
}

static void draw_bottom(const struct ui *ui)
{
	bool typing = ui->overlay == OVERLAY_SEARCH || ui->overlay == OVERLAY_FILTER;
	bool says = ui->message.length && clock_now(CLOCK_MONOTONIC) < ui->message_until_ns;
	int row = rect_is_empty(&ui->layout.keys) ? ui->rows - 1 : ui->layout.keys.top;
	int half = ui->columns / 2;

	if (typing)
		draw_prompt(ui, row, says ? half : ui->columns);
	else if (says)
		paint_cell(row, 0, ui->columns, false, STYLE_WARN, buf_text(&ui->message));
	else if (ui->overlay == OVERLAY_SETUP)
		draw_setup_keys(ui, row);
	else if (!rect_is_empty(&ui->layout.keys))
		draw_key_bar(ui, row);
	if (typing && says)
		paint_cell(row, half, ui->columns - half, true, STYLE_WARN, buf_text(&ui->message));
}

/* If there is no sample: draws the reason. */
static void draw_problem(const struct ui *ui)
{
	CLEANUP_BUF struct buf text = { 0 }, lines = { 0 };
	int row = MIN(2, ui->rows - 1);

	if (!ui->frame)
		buf_puts(&text, "reading the devices");
	else
		buf_puts(&text, ui->frame->problem ? ui->frame->problem : "out of memory");
	page_wrap(&lines, &text, ui->columns - 1, 4);
	for (char *rest = lines.data, *line; (line = strsep(&rest, "\n")) && *line; row++)
		paint_text(row, 1, ui->columns - 1, ui->frame ? STYLE_BAD : STYLE_DIM, line);
}

static void put_device_title(struct buf *out, const struct ui *ui, const struct device *dev)
{
	buf_printf(out, "Device %s  ", dev->id);
	device_put_name(out, dev);
	if (device_is_failing(dev))
		buf_printf(out, "  ! %s", device_condition_text(dev));
	if (ui_snapshot(ui)->n_devices > 1)
		buf_printf(out, "  (%zu of %zu, %s for others)", ui->device + 1,
			   ui_snapshot(ui)->n_devices, paint_symbol("◀ ▶", "< >"));
}

/* Draws the text of the selected device or process, below a line with its name. */
static void draw_page(const struct ui *ui)
{
	const struct device *dev = ui_device(ui, ui->device);
	const struct process *process = ui_process(ui);
	CLEANUP_BUF struct buf text = { 0 }, title = { 0 };
	struct rect lines = ui->layout.page;

	if (rect_is_empty(&lines) || !dev)
		return;
	if (ui->settings.view != VIEW_PROCESSES)
		put_device_title(&title, ui, dev);
	else if (process)
		buf_printf(&title, "Process %d  (Enter for its environment and files)",
			   process->pid);
	paint_rule(lines.top++, lines.left, lines.width, buf_text(&title));
	lines.height--;
	page_of_view(ui, &text);
	draw_lines(&lines, ui->layout.page_columns, &text, ui->page_top,
		   ui->settings.view == VIEW_MEMORY);
}

void draw(const struct ui *ui)
{
	draw_header(ui);
	if (!ui_snapshot(ui)) {
		draw_problem(ui);
	} else {
		draw_cells(ui);
		draw_charts(ui);
		draw_table(ui);
		draw_page(ui);
	}
	draw_overlay(ui);
	draw_bottom(ui);
}
