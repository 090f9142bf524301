/* Draws charts: several readings of the selected device, or one reading of several devices. */
#include "tui/draw.h"

#include "basic/clock.h"
#include "render/lower_bound.h"
#include "render/format.h"
#include "render/chart.h"
#include "render/chart_text.h"
#include "tui/paint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SCALE = 9, MOST_COLUMNS = 320 }; /* "1350 MHz┤" */

/* A chart to be drawn. */
struct drawn_chart {
	const struct device *dev;
	enum metric metric;
	enum style style;
	bool selected; /* charts of several devices: this is the selected one */
	size_t others; /* number of charts without room, shown in the title of the last one */
};

/* Fills the values of a plot, in the units of the settings; returns the maximum. */
static double read_values(const struct ui *ui, const struct drawn_chart *subject,
			  struct metric_range *values, size_t columns)
{
	struct chart chart = { .history = ui->history,
			       .dev = subject->dev,
			       .metric = subject->metric,
			       .columns = columns };
	double factor = chart_unit_factor(&metric_infos[subject->metric]), most;

	chart_place(&chart, ui_now(ui) - ui->back_ns, ui_chart_span(ui));
	most = chart_read(&chart, values);
	for (size_t i = 0; i < columns * PLOT_SIDES; i++)
		values[i] =
			(struct metric_range){ values[i].low * factor, values[i].high * factor };
	return most * factor;
}

/* "└10 min ago ──── now": both labels, if they fit. */
static void draw_axis(const struct ui *ui, int row, int left, int width)
{
	CLEANUP_BUF struct buf first = { 0 }, last = { 0 };
	int at = left;

	chart_put_ago(&first, ui->back_ns + ui_chart_span(ui));
	chart_put_ago(&last, ui->back_ns);
	paint_rule(row, left, width, "");
	at += paint_text(row, at, 1, STYLE_DIM, paint_symbol("└", "`"));
	paint_buf(row, at, width - 1, STYLE_DIM, &first);
	if ((int)(first.length + last.length) + 3 < width)
		paint_buf(row, left + width - (int)last.length, (int)last.length, STYLE_DIM, &last);
}

/* Draws the figures at the upper edge and at 0. */
static void draw_scale(const struct rect *plot, const struct metric_info *info, double top)
{
	for (int i = 0; i < plot->height; i++) {
		CLEANUP_BUF struct buf text = { 0 };

		if (i == 0)
			chart_put_figure(&text, info, top, paint_is_utf8());
		else if (i == plot->height - 1)
			buf_putc(&text, '0');
		paint_cell(plot->top + i, plot->left - SCALE, SCALE - 1, true, STYLE_DIM,
			   buf_text(&text));
		paint_text(plot->top + i, plot->left - 1, 1, STYLE_DIM, paint_symbol("┤", "|"));
	}
}

/*
 * The longest form is "PCIe in  device 0  2.9 GB/s of 8.0 GB/s". A brief one has no limit and no
 * reason; the shortest has of the device only what distinguishes the charts.
 */
enum title_form { TITLE_LONG, TITLE_BRIEF, TITLE_SHORT };

static void put_title(struct buf *out, const struct ui *ui, const struct drawn_chart *subject,
		      enum title_form form)
{
	const struct metric_info *info = &metric_infos[subject->metric];
	bool several = ui_counts(ui).devices > 1;

	buf_printf(out, "%s%s  ", subject->selected ? paint_symbol("▶", ">") : "", info->title);
	if (several && form != TITLE_SHORT)
		buf_printf(out, "device %s  ", subject->dev->id);
	else if (several && ui_charts_devices(ui))
		buf_printf(out, "%s  ", subject->dev->id);
	if (form == TITLE_LONG)
		chart_put_reading(out, subject->dev, info, paint_is_utf8());
	else
		chart_put_brief(out, subject->dev, info, paint_is_utf8());
}

/* The title is the longest that fits: a figure that is cut would be another figure. */
static void draw_title(const struct ui *ui, const struct rect *r, const struct drawn_chart *subject)
{
	CLEANUP_BUF struct buf title = { 0 };
	enum title_form form = TITLE_LONG;
	char more[32] = "";

	if (subject->others && !ui_charts_devices(ui))
		snprintf(more, sizeof(more), " +%zu (g) ", subject->others);
	else if (subject->others)
		snprintf(more, sizeof(more), " +%zu device%s ", subject->others,
			 subject->others == 1 ? "" : "s");
	put_title(&title, ui, subject, form);
	while (form < TITLE_SHORT && !paint_rule_fits(r->width - 1, buf_text(&title), more)) {
		buf_reset(&title);
		put_title(&title, ui, subject, ++form);
	}
	paint_rule_more(r->top, r->left, r->width - 1, buf_text(&title), more);
}

static void draw_chart(const struct ui *ui, const struct rect *r, const struct drawn_chart *subject)
{
	struct rect plot = { r->top + 1, r->left + SCALE, r->height - 2, r->width - SCALE - 1 };
	struct metric_range values[MOST_COLUMNS * PLOT_SIDES];
	struct plot_bar bars[MOST_COLUMNS * PLOT_SIDES];
	struct plot dots = { .bars = bars,
			     .characters = paint_characters(ui->settings.characters) };

	draw_title(ui, r, subject);
	if (plot.height <= 0 || plot.width <= 0)
		return;
	dots.columns = (size_t)MIN(plot.width, MOST_COLUMNS);
	dots.rows = (size_t)plot.height;
	dots.top = chart_top(subject->dev, &metric_infos[subject->metric],
			     read_values(ui, subject, values, dots.columns));
	plot_measure(&dots, values);
	draw_scale(&plot, &metric_infos[subject->metric], dots.top);
	for (size_t i = 0; i < dots.rows; i++) {
		CLEANUP_BUF struct buf line = { 0 };

		plot_row(&line, &dots, i);
		paint_buf(plot.top + (int)i, plot.left, plot.width, subject->style, &line);
	}
	draw_axis(ui, r->top + r->height - 1, plot.left - 1, plot.width + 1);
}

/* Each chart shows another metric, starting with the selected one; in the memory view its pools. */
static enum metric choose_metric(const struct ui *ui, size_t i)
{
	static const enum metric memory[] = { METRIC_DRAM, METRIC_L1 };

	if (ui->settings.view != VIEW_MEMORY)
		return ui_metric(ui, i);
	return ui->settings.metric == METRIC_L1 ? memory[(i + 1) % 2] : memory[i % 2];
}

/* Devices are shown in pages: selects the page with the selected device. */
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
