/* A panel: a title and four lines. */
#include "tui/drawn_device.h"

#include "basic/text.h"
#include "render/device_style.h"
#include "render/format.h"
#include "tui/device_text.h"
#include "tui/paint.h"

static void draw_pool(const struct drawn_device *subject, int row, const struct rect *r, bool l1)
{
	enum { LABEL = 6, FIGURES = 17 };
	CLEANUP_BUF struct buf text = { 0 };
	double share = pool_share(subject->dev, l1);
	int bar = r->width - LABEL - FIGURES - 4;

	put_pool(&text, subject->dev, l1);
	paint_text(row, r->left + 1, LABEL, STYLE_PLAIN, l1 ? "L1" : "DRAM");
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
	if (device_knows(dev, DEV_PCIE_RX))
		format_rate(&text, dev->pcie_rx);
	else
		buf_puts(&text, "N/A");
	buf_puts(&text, "  out ");
	if (device_knows(dev, DEV_PCIE_TX))
		format_rate(&text, dev->pcie_tx);
	else
		buf_puts(&text, "N/A");
	if (device_knows(dev, DEV_COMPUTE))
		buf_printf(&text, "  busy %.0f%%", dev->compute * 100);
	else
		buf_puts(&text, "  busy N/A");
	paint_buf(row, r->left + 1, r->width - 2, STYLE_PLAIN, &text);
}

static void draw_readings(const struct drawn_device *subject, int row, const struct rect *r)
{
	const struct device *dev = subject->shown;
	CLEANUP_BUF struct buf text = { 0 }, power = { 0 }, rest = { 0 };
	int at = r->left + 1, end = r->left + r->width - 1;

	put_temperature(&text, dev, true);
	put_power(&power, dev, true);
	put_aiclk(&rest, dev, false);
	if (device_knows(dev, DEV_LINK_GEN) && device_knows(dev, DEV_LINK_WIDTH))
		buf_printf(&rest, "  PCIe %ux%u", dev->link_gen, dev->link_width);
	if (device_knows(dev, DEV_FAN_RPM))
		buf_printf(&rest, "  %urpm", dev->fan_rpm);
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
	const char *sign = device_sign(dev, &style);
	size_t at;

	buf_printf(&title, "%s%s", subject->selected ? paint_sign("▶", ">") : "", dev->id);
	at = text_width(buf_text(&title), title.length);
	buf_printf(&title, "%s ", sign);
	put_name(&title, dev);
	if (device_knows(dev, DEV_BDF) && !device_is_unserved(dev))
		buf_printf(&title, "  %s", dev->bdf);
	paint_rule(r->top, r->left, r->width - 1, buf_text(&title));
	paint_text(r->top, r->left + 2 + (int)at, 1, style, sign);
	draw_readings(subject, r->top + 1, r);
	draw_pool(subject, r->top + 2, r, false);
	draw_pool(subject, r->top + 3, r, true);
	draw_activity(subject, r->top + 4, r);
}
