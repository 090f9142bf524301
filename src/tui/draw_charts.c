/* Charts of the selected device's readings. */
#include "tui/draw.h"

#include "basic/clock.h"
#include "tui/plot.h"
#include "tui/paint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SCALE = 6, MOST_COLUMNS = 320 }; /* "12000┤" */

/* What the chart shows of which time. */
struct window {
	int64_t from_ns, to_ns, hold_ns;
};

static struct window make_window(const struct ui *ui)
{
	int64_t span = settings_spans[ui->settings.span] * NS_PER_S;
	struct window window = { .to_ns = ui_now(ui) - ui->back_ns };

	window.from_ns = window.to_ns - span;
	/* A sample counts until the next: when that is late by more than one, it is a gap. */
	window.hold_ns = 2 * ui->settings.refresh_ms * NS_PER_MS;
	return window;
}

/* Fills values, returns the most of them. The newest sample is part of the last one. */
static double read_values(const struct ui *ui, const struct device *dev, enum metric metric,
			  const struct window *window, double *values, size_t count)
{
	int64_t span = window->to_ns - window->from_ns;
	double most = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t from = window->from_ns + span * (int64_t)i / (int64_t)count;
		int64_t to = window->from_ns + span * (int64_t)(i + 1) / (int64_t)count +
			     (i + 1 == count);

		if (!tracks_most(ui->tracks, dev, metric, from, to, window->hold_ns, &values[i]))
			values[i] = NAN;
		else
			most = MAX(most, values[i]);
	}
	return most;
}

/* The limit is the top, unless it was passed. */
static double choose_top(const struct device *dev, enum metric metric, double most)
{
	const struct metric_info *info = &metric_infos[metric];
	struct value limit;

	field_get(&device_fields, info->limit, dev, &limit);
	if (info->limit != info->field && limit.why == KNOWN &&
	    limit.number / info->scale >= most && limit.number > 0)
		return limit.number / info->scale;
	return plot_top(most, info->step);
}

static void put_time(struct buf *out, int64_t ns)
{
	int64_t s = ns / NS_PER_S;

	if (s == 0)
		buf_puts(out, "now");
	else if (s % 60 == 0)
		buf_printf(out, "%lld min ago", (long long)s / 60);
	else
		buf_printf(out, "%lld s ago", (long long)s);
}

/* "└10 min ago ──── now": both ends, as far as they fit. */
static void draw_axis(const struct ui *ui, int row, int left, int width)
{
	CLEANUP_BUF struct buf first = { 0 }, last = { 0 };
	int64_t span = settings_spans[ui->settings.span] * NS_PER_S;
	int at = left;

	put_time(&first, ui->back_ns + span);
	put_time(&last, ui->back_ns);
	paint_rule(row, left, width, "");
	at += paint_text(row, at, 1, STYLE_DIM, paint_sign("└", "`"));
	paint_buf(row, at, width - 1, STYLE_DIM, &first);
	if ((int)(first.length + last.length) + 3 < width)
		paint_buf(row, left + width - (int)last.length, (int)last.length, STYLE_DIM, &last);
}

/* Figures at the upper edge and at 0. */
static void draw_scale(const struct rect *plot, double top)
{
	char text[16];

	for (int i = 0; i < plot->height; i++) {
		text[0] = '\0';
		if (i == 0)
			snprintf(text, sizeof(text), top < 10 ? "%.1f" : "%.0f", top);
		else if (i == plot->height - 1)
			snprintf(text, sizeof(text), "0");
		paint_cell(plot->top + i, plot->left - SCALE, SCALE - 1, true, STYLE_DIM, text);
		paint_text(plot->top + i, plot->left - 1, 1, STYLE_DIM, paint_sign("┤", "|"));
	}
}

static void put_title(struct buf *out, const struct device *dev, enum metric metric)
{
	const struct metric_info *info = &metric_infos[metric];
	struct value value;

	field_get(&device_fields, info->field, dev, &value);
	buf_printf(out, "%s  device %s  ", info->title, dev->id);
	if (value.why == KNOWN)
		buf_printf(out, "%.*f", value.number / info->scale < 10 ? 1 : 0,
			   value.number / info->scale);
	else
		buf_printf(out, "N/A (%s)", reason_text(value.why));
}

static void draw_chart(const struct ui *ui, const struct rect *r, const struct device *dev,
		       enum metric metric, enum style style)
{
	struct rect plot = { r->top + 1, r->left + SCALE, r->height - 2, r->width - SCALE - 1 };
	CLEANUP_BUF struct buf title = { 0 };
	struct window window = make_window(ui);
	double values[MOST_COLUMNS * PLOT_SIDES];
	struct plot dots = { .values = values, .utf8 = paint_is_utf8() };

	put_title(&title, dev, metric);
	paint_rule(r->top, r->left, r->width - 1, buf_text(&title));
	if (plot.height <= 0 || plot.width <= 0)
		return;
	dots.columns = (size_t)MIN(plot.width, MOST_COLUMNS);
	dots.rows = (size_t)plot.height;
	dots.top = choose_top(
		dev, metric,
		read_values(ui, dev, metric, &window, values, dots.columns * PLOT_SIDES));
	draw_scale(&plot, dots.top);
	for (size_t i = 0; i < dots.rows; i++) {
		CLEANUP_BUF struct buf line = { 0 };

		plot_row(&line, &dots, i);
		paint_buf(plot.top + (int)i, plot.left, plot.width, style, &line);
	}
	draw_axis(ui, r->top + r->height - 1, plot.left - 1, plot.width + 1);
}

/* Each chart another metric, from the chosen one on; memory first in the view of memory. */
void draw_charts(const struct ui *ui)
{
	static const enum metric memory[] = { METRIC_DRAM, METRIC_L1 };
	const struct device *dev = ui_device(ui, ui->device);

	for (size_t i = 0; dev && i < ui->layout.n_charts; i++) {
		enum metric metric = (enum metric)((ui->settings.metric + i) % METRIC_N);

		if (ui->settings.view == VIEW_MEMORY)
			metric = memory[i % ARRAY_SIZE(memory)];
		draw_chart(ui, &ui->layout.charts[i], dev, metric,
			   i % 2 ? STYLE_CHART_2 : STYLE_CHART);
	}
}
