/* Charts: several readings of the selected device, or one reading of several devices. */
#include "tui/draw.h"

#include "basic/clock.h"
#include "render/lower_bound.h"
#include "render/format.h"
#include "render/chart.h"
#include "tui/paint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SCALE = 6, MOST_COLUMNS = 320 }; /* "12000┤" */

/* What the chart shows of which time. */
struct time_window {
	int64_t from_ns, to_ns;
};

static struct time_window make_window(const struct ui *ui)
{
	int64_t span = settings_spans[ui->settings.span] * NS_PER_S;
	struct time_window window = { .to_ns = ui_now(ui) - ui->back_ns };

	window.from_ns = window.to_ns - span;
	return window;
}

/* A chart to be drawn. */
struct drawn_chart {
	const struct device *dev;
	enum metric metric;
	enum style style;
	bool selected; /* one of several devices, and the one that is selected */
	size_t others; /* charts without room, counted in the title of the last one */
};

/* Metrics are in units of 1024; the settings may ask for others. */
static double in_units(const struct metric_info *info)
{
	return info->bytes ? info->scale / format_unit_size(info->bytes) : 1;
}

/* Fills the values of a plot, in the units of the settings; returns the maximum. */
static double read_values(const struct ui *ui, const struct drawn_chart *subject, double *values,
			  size_t columns)
{
	const struct time_window window = make_window(ui);
	const struct chart chart = { .history = ui->history,
				     .dev = subject->dev,
				     .metric = subject->metric,
				     .from_ns = window.from_ns,
				     .to_ns = window.to_ns,
				     .columns = columns };
	double factor = in_units(&metric_infos[subject->metric]), most = chart_read(&chart, values);

	for (size_t i = 0; i < columns * PLOT_SIDES; i++)
		values[i] *= factor;
	return most * factor;
}

/* The limit is the top, unless it was passed. */
static double choose_top(const struct drawn_chart *subject, double most)
{
	const struct metric_info *info = &metric_infos[subject->metric];
	struct value limit;
	double top;

	field_get(&device_fields, info->limit, subject->dev, &limit);
	top = limit.number / info->scale * in_units(info);
	if (info->limit != info->field && limit.why == KNOWN && top >= most && top > 0)
		return top;
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

static void put_title(struct buf *out, const struct drawn_chart *subject)
{
	const struct metric_info *info = &metric_infos[subject->metric];
	struct value value;
	double number;

	field_get(&device_fields, info->field, subject->dev, &value);
	buf_printf(out, "%s%s %s%s  device %s  ", subject->selected ? paint_sign("▶", ">") : "",
		   info->title, info->bytes ? format_unit_name(info->bytes) : "", info->unit,
		   subject->dev->id);
	number = value.number / info->scale * in_units(info);
	if (value.why == KNOWN)
		buf_printf(out, "%s%.*f",
			   lower_bound_of_device(subject->dev, info->field, paint_is_utf8()),
			   number < 10 ? 1 : 0, number);
	else
		buf_printf(out, "N/A (%s)", reason_text(value.why));
}

static void draw_title(const struct ui *ui, const struct rect *r, const struct drawn_chart *subject)
{
	CLEANUP_BUF struct buf title = { 0 };
	char more[32] = "";

	put_title(&title, subject);
	if (subject->others && !ui_charts_devices(ui))
		snprintf(more, sizeof(more), " +%zu (g) ", subject->others);
	else if (subject->others)
		snprintf(more, sizeof(more), " +%zu device%s ", subject->others,
			 subject->others == 1 ? "" : "s");
	paint_rule_more(r->top, r->left, r->width - 1, buf_text(&title), more);
}

static void draw_chart(const struct ui *ui, const struct rect *r, const struct drawn_chart *subject)
{
	struct rect plot = { r->top + 1, r->left + SCALE, r->height - 2, r->width - SCALE - 1 };
	double values[MOST_COLUMNS * PLOT_SIDES];
	struct plot dots = { .values = values, .signs = paint_signs(ui->settings.signs) };

	draw_title(ui, r, subject);
	if (plot.height <= 0 || plot.width <= 0)
		return;
	dots.columns = (size_t)MIN(plot.width, MOST_COLUMNS);
	dots.rows = (size_t)plot.height;
	dots.top = choose_top(subject, read_values(ui, subject, values, dots.columns));
	draw_scale(&plot, dots.top);
	for (size_t i = 0; i < dots.rows; i++) {
		CLEANUP_BUF struct buf line = { 0 };

		plot_row(&line, &dots, i);
		paint_buf(plot.top + (int)i, plot.left, plot.width, subject->style, &line);
	}
	draw_axis(ui, r->top + r->height - 1, plot.left - 1, plot.width + 1);
}

/* Each chart another metric, from the chosen one on; in the view of memory its pools. */
static enum metric choose_metric(const struct ui *ui, size_t i)
{
	static const enum metric memory[] = { METRIC_DRAM, METRIC_L1 };

	if (ui->settings.view != VIEW_MEMORY)
		return (enum metric)((ui->settings.metric + i) % METRIC_N);
	return ui->settings.metric == METRIC_L1 ? memory[(i + 1) % 2] : memory[i % 2];
}

/* A page of devices: the one with the selected among them. */
static struct drawn_chart choose_subject(const struct ui *ui, size_t i)
{
	size_t position = ui->device;
	struct drawn_chart subject = { .style = i % 2 ? STYLE_CHART_2 : STYLE_CHART };

	if (ui_charts_devices(ui)) {
		position = ui->device - ui->device % ui->layout.n_charts + i;
		subject.selected = position == ui->device;
		subject.metric = choose_metric(ui, 0);
	} else {
		subject.metric = choose_metric(ui, i);
	}
	subject.dev = ui_device(ui, position);
	return subject;
}

void draw_charts(const struct ui *ui)
{
	size_t shown = ui->layout.n_charts, wanted = ui_counts(ui).charts;

	for (size_t i = 0; i < shown; i++) {
		struct drawn_chart subject = choose_subject(ui, i);

		if (!subject.dev)
			continue;
		if (i + 1 == shown || !choose_subject(ui, i + 1).dev)
			subject.others = wanted - MIN(i + 1, wanted);
		draw_chart(ui, &ui->layout.charts[i], &subject);
	}
}
