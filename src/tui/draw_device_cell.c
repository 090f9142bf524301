/* Draws a device as a cell of the grid. */
#include "model/device_health.h"
#include "tui/drawn_device.h"

#include "basic/text.h"
#include "render/device_style.h"
#include "render/device_text.h"
#include "render/format.h"
#include "tui/paint.h"

#include <string.h>

enum { LARGE = 7 }; /* lines of a cell with all readings */

/*
 * DRAM in use and utilisation, if known: "DRAM 67%  busy 44%", "D67% busy 44%", "67% b44%". Where
 * there is no room for that, the blank goes first, then utilisation.
 */
static void put_shares(struct buf *out, const struct device *dev, size_t room)
{
	static const struct {
		const char *dram, *busy;
	} marks[] = { { "DRAM ", "  busy " }, { "D", " busy " }, { "", " b" }, { "", "b" } };
	enum { UNNAMED = 2 };

	for (size_t i = room < CELL_NAMES_SHARES - 1 ? UNNAMED : 0; i < ARRAY_SIZE(marks); i++) {
		buf_reset(out);
		buf_puts(out, marks[i].dram);
		device_put_share(out, dev, paint_is_utf8());
		if (!device_shows_compute(dev))
			return;
		buf_puts(out, marks[i].busy);
		device_put_compute(out, dev, paint_is_utf8());
		if (text_width(buf_text(out), out->length) <= room)
			return;
	}
	buf_reset(out);
	device_put_share(out, dev, paint_is_utf8());
}

/* Begins below the reading above it, or at the left edge of the cell if it is that long. */
static void draw_shares(const struct device *dev, int row, const struct rect *r)
{
	CLEANUP_BUF struct buf text = { 0 };
	int width;

	put_shares(&text, dev, (size_t)r->width - 1);
	width = (int)text_width(buf_text(&text), text.length);
	paint_buf(row, r->left + MIN(3, r->width - width), width,
		  memory_style(device_pool_share(dev, POOL_DRAM)), &text);
}

/* A chip without current readings: its condition, the age of its last values, and these values. */
static void draw_troubled_cell(const struct drawn_device *subject, const struct rect *r)
{
	CLEANUP_BUF struct buf age = { 0 }, last = { 0 };
	enum style style = device_condition_style(subject->dev);

	paint_text(r->top, r->left + 4, r->width - 5, style, device_condition_word(subject->dev));
	drawn_device_put_age(&age, subject);
	if (r->height > 1)
		paint_buf(r->top + 1, r->left + 2, r->width - 3, style, &age);
	if (r->height > 3 && device_knows(subject->dev, DEV_DRAM_USED))
		draw_shares(subject->dev, r->top + MIN(r->height, LARGE) - 1, r);
	if (r->height <= 2 || subject->age_ns < 0)
		return;
	device_put_temperature(&last, subject->shown, false, paint_is_utf8());
	buf_putc(&last, ' ');
	device_put_power(&last, subject->shown, false);
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

/* "L1   [███░░░]" */
static void draw_pool_bar(const struct device *dev, int row, const struct rect *r, enum pool pool)
{
	enum { LABEL = 5 };
	double share = device_pool_share(dev, pool);

	paint_text(row, r->left + 3, LABEL, STYLE_PLAIN, pool_name(pool));
	if (share >= 0)
		paint_bar(row, r->left + 3 + LABEL, r->width - 4 - LABEL, share);
	else
		paint_text(row, r->left + 3 + LABEL, 3, STYLE_DIM, "N/A");
}

static void put_brief_rate(struct buf *out, const struct device *dev, enum device_field field,
			   double rate)
{
	if (device_knows(dev, field))
		format_bytes_brief(out, (uint64_t)rate);
	else
		buf_puts(out, "N/A");
}

/* "in 180.7MB/s out 38.1MB/s", "in 181MB/s out 38MB/s" or "in 181MB out 38MB" */
static void put_rates(struct buf *out, const struct device *dev, size_t room)
{
	static const char *const units[] = { "/s", "" };

	buf_puts(out, "in ");
	device_put_rx(out, dev);
	buf_puts(out, " out ");
	device_put_tx(out, dev);
	for (size_t i = 0; i < ARRAY_SIZE(units) && out->length > room; i++) {
		buf_reset(out);
		buf_puts(out, "in ");
		put_brief_rate(out, dev, DEV_PCIE_RX, dev->pcie_rx);
		buf_printf(out, "%s out ", units[i]);
		put_brief_rate(out, dev, DEV_PCIE_TX, dev->pcie_tx);
		buf_puts(out, units[i]);
	}
}

/* The lower part of a cell with seven lines. */
static void draw_large(const struct drawn_device *subject, int row, const struct rect *r)
{
	const struct device *dev = subject->shown;
	CLEANUP_BUF struct buf text = { 0 };

	put_rates(&text, dev, (size_t)r->width - 4);
	paint_buf(row++, r->left + 3, r->width - 4, STYLE_PLAIN, &text);
	draw_pool_bar(subject->dev, row++, r, POOL_DRAM);
	draw_pool_bar(subject->dev, row++, r, POOL_L1);
	draw_shares(subject->dev, row, r);
}

/*
 * height 1: temperature        2: memory in percent below it
 * 3: power, and memory         4: power, bar, memory         5: clock too
 * 7: PCIe, and bars of both pools with their figures         8: a line between devices
 */
void draw_device_cell(const struct drawn_device *subject, const struct rect *r)
{
	const struct device *dev = subject->shown;
	CLEANUP_BUF struct buf temp = { 0 }, power = { 0 }, clock = { 0 };
	int left = r->left + 3, width = r->width - 4, row = r->top;
	double share = device_pool_share(dev, POOL_DRAM);

	drawn_device_draw_id(subject, row, r->left, r->width);
	if (device_is_failing(subject->dev)) {
		draw_troubled_cell(subject, r);
		return;
	}
	if (device_is_unserved(dev)) {
		draw_unserved_cell(dev, r);
		return;
	}
	device_put_temperature(&temp, dev, false, paint_is_utf8());
	paint_buf(row++, left + 1 + (r->width > 9), r->width - 4, device_temperature_style(dev),
		  &temp);
	device_put_power(&power, dev, false);
	if (r->height > 2)
		paint_buf(row++, left, width, device_power_style(dev), &power);
	if (r->height > 4) {
		device_put_aiclk(&clock, dev);
		paint_buf(row++, left, r->width - 3, STYLE_PLAIN, &clock);
	}
	if (r->height >= LARGE) {
		draw_large(subject, row, r);
		return;
	}
	if (r->height > 3 && share >= 0)
		paint_bar(row, left, width, share);
	if (r->height > 1)
		draw_shares(dev, r->top + r->height - 1, r);
}
