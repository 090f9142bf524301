/* Lines: readings with a bar, both pools, or the figures alone. */
#include "tui/drawn_device.h"

#include "render/device_style.h"
#include "render/format.h"
#include "tui/device_text.h"
#include "tui/paint.h"

static int draw_figure(const struct drawn_device *subject, int row, int column, int width,
		       enum style style, const struct buf *text)
{
	paint_cell(row, column, width, true, drawn_device_style(subject, style), buf_text(text));
	return width + 1;
}

/* Memory's bar and figures in what is left of a line. */
static void draw_bar(const struct drawn_device *subject, int row, int left, int width, bool l1)
{
	enum { FIGURES = 17, LONGEST = 40 };
	CLEANUP_BUF struct buf text = { 0 };
	double share = pool_share(subject->dev, l1);
	int bar = MIN(width - FIGURES - 3, LONGEST);

	if (width < FIGURES)
		put_used(&text, subject->dev, l1);
	else
		put_pool(&text, subject->dev, l1);
	if (bar > 3 && share >= 0) {
		paint_text(row, left, 1, STYLE_DIM, "[");
		paint_bar(row, left + 1, bar, share);
		paint_text(row, left + 1 + bar, 1, STYLE_DIM, "]");
	}
	if (bar > 3) {
		left += bar + 3;
		width = FIGURES;
	}
	paint_cell(row, left, MIN(width, FIGURES), true, STYLE_PLAIN, buf_text(&text));
}

void draw_device_line(const struct drawn_device *subject, const struct rect *r)
{
	const struct device *dev = subject->shown;
	CLEANUP_BUF struct buf name = { 0 }, temp = { 0 }, power = { 0 }, clock = { 0 },
			       trouble = { 0 };
	int at = r->left, end = r->left + r->width - 1;
	int names = MIN(MAX(r->width - 60, 0), 19);

	at += drawn_device_draw_id(subject, r->top, at, r->width) + 1;
	if (device_is_unserved(dev))
		buf_printf(&name, "%s %s", dev->id, device_knows(dev, DEV_BOARD) ? dev->board : "");
	else
		put_name(&name, dev);
	if (names >= 8) {
		paint_cell(r->top, at, names, false, STYLE_BOLD, buf_text(&name));
		at += names + 1;
	}
	put_temperature(&temp, dev, false);
	at += draw_figure(subject, r->top, at, 5, device_temperature_style(dev), &temp);
	put_power(&power, dev, true);
	at += draw_figure(subject, r->top, at, 9, device_power_style(dev), &power);
	if (device_condition_text(subject->dev)[0]) {
		drawn_device_put_condition(&trouble, subject);
		paint_buf(r->top, at, end - at, device_condition_style(subject->dev), &trouble);
		return;
	}
	put_aiclk(&clock, dev, false);
	at += draw_figure(subject, r->top, at, 7, STYLE_PLAIN, &clock);
	draw_bar(subject, r->top, at, end - at, false);
}

/* "0000:02:00.0 no driver": as much as there is room for. */
static void draw_unserved(const struct drawn_device *subject, int row, int left, int width)
{
	CLEANUP_BUF struct buf text = { 0 };

	buf_printf(&text, "%s %s", subject->dev->id, device_condition_text(subject->dev));
	paint_buf(row, left, width, device_condition_style(subject->dev), &text);
}

/* In the view of memory: a line per pool, or both in one. */
void draw_device_pools(const struct drawn_device *subject, const struct rect *r)
{
	int at = r->left + drawn_device_draw_id(subject, r->top, r->left, r->width) + 1;
	int width = r->left + r->width - at;
	bool two = r->height > 1;

	if (device_is_unserved(subject->dev)) {
		draw_unserved(subject, r->top, at, width);
		return;
	}
	/* The chip need not answer for its memory to be known. */
	if (device_is_failing(subject->dev) && !device_knows(subject->dev, DEV_DRAM_USED)) {
		paint_text(r->top, at, width, device_condition_style(subject->dev),
			   device_condition_text(subject->dev));
		return;
	}
	if (!two)
		width /= 2;
	paint_text(r->top, at, 5, STYLE_PLAIN, "DRAM");
	draw_bar(subject, r->top, at + 5, width - 6, false);
	if (!two)
		at += width;
	paint_text(r->top + two, at, 5, STYLE_PLAIN, "L1");
	draw_bar(subject, r->top + two, at + 5, width - 6, true);
}

void draw_device_brief(const struct drawn_device *subject, const struct rect *r)
{
	enum { SHARE = 5 }; /* "≥100%" */
	CLEANUP_BUF struct buf temp = { 0 }, power = { 0 }, text = { 0 };
	int at = r->left + drawn_device_draw_id(subject, r->top, r->left, r->width);

	if (device_is_failing(subject->dev)) {
		buf_printf(&text, "%s ", device_condition_word(subject->dev));
		put_age(&text, subject->age_ns);
		paint_buf(r->top, at, r->width - 4, device_condition_style(subject->dev), &text);
		return;
	}
	if (device_is_unserved(subject->dev)) {
		draw_unserved(subject, r->top, at, r->width - 4);
		return;
	}
	put_temperature(&temp, subject->shown, false);
	put_power(&power, subject->shown, false);
	put_share(&text, subject->dev, "%");
	at += draw_figure(subject, r->top, at, 4, device_temperature_style(subject->shown), &temp);
	at += draw_figure(subject, r->top, at, 4, device_power_style(subject->shown), &power);
	paint_cell(r->top, at, MIN(r->left + r->width - at, SHARE), true, share_style(subject->dev),
		   buf_text(&text));
}
