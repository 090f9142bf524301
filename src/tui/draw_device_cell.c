/* A cell of the grid. */
#include "tui/drawn_device.h"

#include "basic/text.h"
#include "render/device_style.h"
#include "render/format.h"
#include "tui/device_text.h"
#include "tui/paint.h"

#include <string.h>

/* DRAM in use and utilisation, if known; without the unit where there is no room. */
static void draw_shares(const struct device *dev, int row, const struct rect *r)
{
	CLEANUP_BUF struct buf text = { 0 };
	int width = 0;

	for (const char *unit = "%";; unit = "") {
		buf_reset(&text);
		put_share(&text, dev, unit);
		if (device_knows(dev, DEV_COMPUTE)) {
			buf_puts(&text, " b");
			format_whole(&text, dev->compute * 100);
		}
		width = (int)text_width(buf_text(&text), text.length);
		if (width <= r->width - 2 || !unit[0])
			break;
	}
	paint_buf(row, r->left + 3 - (width > r->width - 3), r->width - 2, share_style(dev), &text);
}

/* A chip without current readings: its condition, their age, the last values. */
static void draw_troubled_cell(const struct drawn_device *subject, const struct rect *r)
{
	CLEANUP_BUF struct buf age = { 0 }, last = { 0 };
	enum style style = device_condition_style(subject->dev);

	paint_text(r->top, r->left + 4, r->width - 5, style, device_condition_word(subject->dev));
	put_age(&age, subject->age_ns);
	if (r->height > 1)
		paint_buf(r->top + 1, r->left + 2, r->width - 3, style, &age);
	if (r->height > 3 && device_knows(subject->dev, DEV_DRAM_USED))
		draw_shares(subject->dev, r->top + r->height - 1, r);
	if (r->height <= 2 || subject->age_ns < 0)
		return;
	put_temperature(&last, subject->shown, false);
	buf_putc(&last, ' ');
	put_power(&last, subject->shown, false);
	paint_buf(r->top + 2, r->left + 1, r->width - 2, STYLE_DIM, &last);
}

/* A card without our driver: its condition, and its PCI address without the domain. */
static void draw_unserved_cell(const struct device *dev, const struct rect *r)
{
	const char *tail = strchr(dev->bdf, ':');

	paint_text(r->top, r->left + 4, r->width - 5, device_condition_style(dev),
		   device_condition_word(dev));
	if (r->height > 1 && tail)
		paint_text(r->top + 1, r->left + 2, r->width - 3, STYLE_DIM, tail + 1);
}

/*
 * height 1: temperature        2: memory in percent below it
 * 3: power, and memory         4: power, bar, memory         5: clock too
 */
void draw_device_cell(const struct drawn_device *subject, const struct rect *r)
{
	const struct device *dev = subject->shown;
	CLEANUP_BUF struct buf temp = { 0 }, power = { 0 }, clock = { 0 };
	int left = r->left + 3, width = r->width - 4, row = r->top;
	double share = pool_share(dev, false);

	drawn_device_draw_id(subject, row, r->left, r->width);
	if (device_is_failing(subject->dev)) {
		draw_troubled_cell(subject, r);
		return;
	}
	if (device_is_unserved(dev)) {
		draw_unserved_cell(dev, r);
		return;
	}
	put_temperature(&temp, dev, false);
	paint_buf(row++, left + 1 + (r->width > 9), r->width - 4, device_temperature_style(dev),
		  &temp);
	put_power(&power, dev, false);
	if (r->height > 2)
		paint_buf(row++, left, width, device_power_style(dev), &power);
	if (r->height > 4) {
		put_aiclk(&clock, dev, width < 7);
		paint_buf(row++, left, width, STYLE_PLAIN, &clock);
	}
	if (r->height > 3 && share >= 0)
		paint_bar(row, left, width, share);
	if (r->height > 1)
		draw_shares(dev, r->top + r->height - 1, r);
}
