/* Draws a device as a line: readings with a bar, both pools, or the figures alone. */
#include "model/device_health.h"
#include "tui/drawn_device.h"

#include "basic/text.h"
#include "render/device_style.h"
#include "render/device_text.h"
#include "tui/paint.h"

static int draw_figure(const struct drawn_device *subject, int row, int column, int width,
		       enum style style, const struct buf *text)
{
	paint_cell(row, column, width, true, drawn_device_style(subject, style), buf_text(text));
	return width + 1;
}

/* Draws bar and figures of memory in the rest of a line; without room for the bar, the figures have
 * its colour. */
static void draw_bar(const struct drawn_device *subject, int row, int left, int width,
		     enum pool pool)
{
	enum { FIGURES = 17, LONGEST = 40 };
	CLEANUP_BUF struct buf text = { 0 };
	double share = device_pool_share(subject->dev, pool);
	int bar = MIN(width - FIGURES - 3, LONGEST);

	if (width < FIGURES)
		device_put_used(&text, subject->dev, pool, paint_is_utf8());
	else
		device_put_pool(&text, subject->dev, pool, paint_is_utf8());
	if (bar > 3 && share >= 0) {
		paint_text(row, left, 1, STYLE_DIM, "[");
		paint_bar(row, left + 1, bar, share);
		paint_text(row, left + 1 + bar, 1, STYLE_DIM, "]");
	}
	if (bar > 3) {
		left += bar + 3;
		width = FIGURES;
	}
	paint_cell(row, left, MIN(width, FIGURES), true,
		   bar > 3 || share < 0 ? STYLE_PLAIN : memory_style(share), buf_text(&text));
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
		device_put_name(&name, dev);
	if (names >= 8) {
		paint_cell(r->top, at, names, false, STYLE_BOLD, buf_text(&name));
		at += names + 1;
	}
	device_put_temperature(&temp, dev, false, paint_is_utf8());
	at += draw_figure(subject, r->top, at, 5, device_temperature_style(dev), &temp);
	device_put_power(&power, dev, true);
	at += draw_figure(subject, r->top, at, 9, device_power_style(dev), &power);
	if (device_condition_text(subject->dev)[0]) {
		drawn_device_put_condition(&trouble, subject);
		paint_buf(r->top, at, end - at, device_condition_style(subject->dev), &trouble);
		return;
	}
	device_put_aiclk(&clock, dev);
	at += draw_figure(subject, r->top, at, 7, STYLE_PLAIN, &clock);
	draw_bar(subject, r->top, at, end - at, POOL_DRAM);
}

/* "0000:02:00.0 no driver": as much as fits. */
static void draw_unserved(const struct drawn_device *subject, int row, int left, int width)
{
	CLEANUP_BUF struct buf text = { 0 };

	buf_printf(&text, "%s %s", subject->dev->id, device_condition_text(subject->dev));
	paint_buf(row, left, width, device_condition_style(subject->dev), &text);
}

/* For the memory view: a line per pool, or both in one. */
void draw_device_pools(const struct drawn_device *subject, const struct rect *r)
{
	int at = r->left + drawn_device_draw_id(subject, r->top, r->left, r->width) + 1;
	int width = r->left + r->width - at;
	bool two = r->height > 1;

	if (device_is_unserved(subject->dev)) {
		draw_unserved(subject, r->top, at, width);
		return;
	}
	/* The memory of a chip may be known even if the chip does not respond. */
	if (device_is_failing(subject->dev) && !device_knows(subject->dev, DEV_DRAM_USED)) {
		paint_text(r->top, at, width, device_condition_style(subject->dev),
			   device_condition_text(subject->dev));
		return;
	}
	if (!two)
		width /= 2;
	paint_text(r->top, at, 5, STYLE_PLAIN, pool_name(POOL_DRAM));
	draw_bar(subject, r->top, at + 5, width - 6, POOL_DRAM);
	if (!two)
		at += width;
	paint_text(r->top + two, at, 5, STYLE_PLAIN, pool_name(POOL_L1));
	draw_bar(subject, r->top + two, at + 5, width - 6, POOL_L1);
}

void draw_device_brief(const struct drawn_device *subject, const struct rect *r)
{
	enum { SHARE = 6 }; /* "D≥100%" */
	CLEANUP_BUF struct buf temp = { 0 }, power = { 0 }, text = { 0 };
	int at = r->left + drawn_device_draw_id(subject, r->top, r->left, r->width), share;

	if (device_is_failing(subject->dev)) {
		buf_printf(&text, "%s ", device_condition_word(subject->dev));
		drawn_device_put_age(&text, subject);
		paint_buf(r->top, at, r->width - 4, device_condition_style(subject->dev), &text);
		return;
	}
	if (device_is_unserved(subject->dev)) {
		draw_unserved(subject, r->top, at, r->width - 4);
		return;
	}
	device_put_temperature(&temp, subject->shown, false, paint_is_utf8());
	device_put_power(&power, subject->shown, false);
	buf_puts(&text, device_pool_share(subject->dev, POOL_DRAM) < 0 ? "" : "D");
	device_put_share(&text, subject->dev, paint_is_utf8());
	at += draw_figure(subject, r->top, at, 4, device_temperature_style(subject->shown), &temp);
	at += draw_figure(subject, r->top, at, 4, device_power_style(subject->shown), &power);
	share = MIN(r->left + r->width - at, SHARE);
	/* A blank before the next device, unless the figure needs its place. */
	share -= (int)text_width(buf_text(&text), text.length) < share;
	paint_cell(r->top, at, share, true,
		   memory_style(device_pool_share(subject->dev, POOL_DRAM)), buf_text(&text));
}
