/* Draws a device as a panel: a title and four lines. */
#include "model/device_health.h"
#include "tui/drawn_device.h"

#include "basic/text.h"
#include "render/device_style.h"
#include "render/device_text.h"
#include "render/device_symbol.h"
#include "tui/paint.h"

static void draw_pool(const struct drawn_device *subject, int row, const struct rect *r,
		      enum pool pool)
{
	enum { LABEL = 6, FIGURES = 17 };
	CLEANUP_BUF struct buf text = { 0 };
	double share = device_pool_share(subject->dev, pool);
	int bar = r->width - LABEL - FIGURES - 4;

	device_put_pool(&text, subject->dev, pool, paint_is_utf8());
	paint_text(row, r->left + 1, LABEL, STYLE_PLAIN, pool_name(pool));
	if (bar > 4 && share >= 0) {
		paint_text(row, r->left + LABEL, 1, STYLE_DIM, "[");
		paint_bar(row, r->left + LABEL + 1, bar, share);
		paint_text(row, r->left + LABEL + 1 + bar, 1, STYLE_DIM, "]");
	}
	paint_cell(row, r->left + LABEL + bar + 2, FIGURES, true, STYLE_PLAIN, buf_text(&text));
}

static void draw_activity(const struct drawn_device *subject, int row, const struct rect *r)
{
	CLEANUP_BUF struct buf text = { 0 };
	const struct device *dev = subject->shown;

	if (device_condition_text(subject->dev)[0]) {
		drawn_device_put_condition(&text, subject);
		paint_buf(row, r->left + 1, r->width - 2, device_condition_style(subject->dev),
			  &text);
		return;
	}
	buf_puts(&text, "PCIe in ");
	device_put_rx(&text, dev);
	buf_puts(&text, "  out ");
	device_put_tx(&text, dev);
	buf_puts(&text, "  busy ");
	device_put_compute(&text, dev, paint_is_utf8());
	paint_buf(row, r->left + 1, r->width - 2, STYLE_PLAIN, &text);
}

static void draw_readings(const struct drawn_device *subject, int row, const struct rect *r)
{
	const struct device *dev = subject->shown;
	CLEANUP_BUF struct buf text = { 0 }, power = { 0 }, rest = { 0 };
	int at = r->left + 1, end = r->left + r->width - 1;

	device_put_temperature(&text, dev, true, paint_is_utf8());
	device_put_power(&power, dev, true);
	device_put_aiclk(&rest, dev);
	if (device_knows(dev, DEV_LINK_GEN) && device_knows(dev, DEV_LINK_WIDTH)) {
		buf_puts(&rest, "  PCIe ");
		device_put_link(&rest, dev);
	}
	if (device_knows(dev, DEV_FAN_RPM)) {
		buf_puts(&rest, "  ");
		device_put_fan(&rest, dev);
	}
	at += paint_buf(row, at, end - at,
			drawn_device_style(subject, device_temperature_style(dev)), &text) +
	      2;
	at += paint_buf(row, at, end - at, drawn_device_style(subject, device_power_style(dev)),
			&power) +
	      2;
	paint_buf(row, at, end - at, drawn_device_style(subject, STYLE_PLAIN), &rest);
}

void draw_device_panel(const struct drawn_device *subject, const struct rect *r)
{
	CLEANUP_BUF struct buf title = { 0 };
	const struct device *dev = subject->dev;
	enum style style;
	const char *symbol = device_symbol(dev, paint_is_utf8(), &style);
	size_t at;

	buf_printf(&title, "%s%s", subject->selected ? paint_symbol("▶", ">") : "", dev->id);
	at = text_width(buf_text(&title), title.length);
	buf_printf(&title, "%s ", symbol);
	device_put_name(&title, dev);
	if (device_knows(dev, DEV_BDF) && !device_is_unserved(dev))
		buf_printf(&title, "  %s", dev->bdf);
	paint_rule(r->top, r->left, r->width - 1, buf_text(&title));
	paint_text(r->top, r->left + 2 + (int)at, 1, style, symbol);
	draw_readings(subject, r->top + 1, r);
	draw_pool(subject, r->top + 2, r, POOL_DRAM);
	draw_pool(subject, r->top + 3, r, POOL_L1);
	draw_activity(subject, r->top + 4, r);
}
