/* Devices in their forms: panel, line, brief, cell of the grid. */
#include "tui/draw.h"

#include "basic/text.h"
#include "render/format.h"
#include "tui/device_text.h"
#include "tui/paint.h"

#include <string.h>

/* A device to be drawn. */
struct drawn_device {
	const struct device *dev;   /* now; memory is always of now */
	const struct device *shown; /* the same, or as it last was */
	int64_t age_ns;		    /* of its readings; 0: now, -1: it never had any */
	bool selected;
};

static struct drawn_device make_subject(const struct ui *ui, size_t position)
{
	struct drawn_device subject = { .dev = ui_device(ui, position),
					.selected = position == ui->device };

	subject.shown =
		device_view_find(&ui->device_view, subject.dev, ui_now(ui), &subject.age_ns);
	return subject;
}

/* Old values are dim, whatever they say. */
static enum style style_of(const struct drawn_device *subject, enum style style)
{
	return subject->age_ns ? STYLE_DIM : style;
}

/* "timed out, 12s ago" */
static void put_trouble(struct buf *out, const struct drawn_device *subject)
{
	buf_puts(out, device_condition_text(subject->dev));
	if (!subject->age_ns)
		return;
	buf_puts(out, subject->age_ns > 0 ? ", values of " : ", ");
	put_age(out, subject->age_ns);
}

/* "31● ": number and sign, four columns; returns them. Of an address there is only the sign. */
static int draw_id(const struct drawn_device *subject, int row, int column, int width)
{
	enum style style;
	const char *sign = device_sign(subject->dev, &style);

	width = MIN(width, 4);
	paint_cell(row, column, width - 1, true, subject->selected ? STYLE_SELECTED : STYLE_BOLD,
		   device_is_unserved(subject->dev) ? "" : subject->dev->id);
	if (width > 3)
		paint_text(row, column + 3, 1, style, sign);
	return 4;
}

/* ---- a panel ---- */

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
		put_trouble(&text, subject);
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
	at += paint_buf(row, at, end - at, style_of(subject, device_temperature_style(dev)),
			&text) +
	      2;
	at += paint_buf(row, at, end - at, style_of(subject, device_power_style(dev)), &power) + 2;
	paint_buf(row, at, end - at, style_of(subject, STYLE_PLAIN), &rest);
}

static void draw_panel(const struct drawn_device *subject, const struct rect *r)
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

/* ---- lines ---- */

static int draw_figure(const struct drawn_device *subject, int row, int column, int width,
		       enum style style, const struct buf *text)
{
	paint_cell(row, column, width, true, style_of(subject, style), buf_text(text));
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

static void draw_line(const struct drawn_device *subject, const struct rect *r)
{
	const struct device *dev = subject->shown;
	CLEANUP_BUF struct buf name = { 0 }, temp = { 0 }, power = { 0 }, clock = { 0 },
			       trouble = { 0 };
	int at = r->left, end = r->left + r->width - 1;
	int names = MIN(MAX(r->width - 60, 0), 19);

	at += draw_id(subject, r->top, at, r->width) + 1;
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
		put_trouble(&trouble, subject);
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
static void draw_pools(const struct drawn_device *subject, const struct rect *r)
{
	int at = r->left + draw_id(subject, r->top, r->left, r->width) + 1;
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

static void draw_brief(const struct drawn_device *subject, const struct rect *r)
{
	enum { SHARE = 5 }; /* "≥100%" */
	CLEANUP_BUF struct buf temp = { 0 }, power = { 0 }, text = { 0 };
	int at = r->left + draw_id(subject, r->top, r->left, r->width);

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

/* ---- the grid ---- */

/* DRAM in use and how busy it is, where somebody tells: in columns that blanks follow. */
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

/* What a chip in trouble has to say: what ails it, since when, what it was. */
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

/* What is bound to it, and of its address the part behind the domain. */
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
static void draw_cell(const struct drawn_device *subject, const struct rect *r)
{
	const struct device *dev = subject->shown;
	CLEANUP_BUF struct buf temp = { 0 }, power = { 0 }, clock = { 0 };
	int left = r->left + 3, width = r->width - 4, row = r->top;
	double share = pool_share(dev, false);

	draw_id(subject, row, r->left, r->width);
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

static void draw_group(const struct ui *ui, const struct cell *cell)
{
	char name[64];

	if (cell->heading < 0)
		return;
	device_group_name(ui_device(ui, cell->device), name, sizeof(name));
	paint_rule(cell->heading, ui->layout.cells.area.left, ui->layout.cells.area.width, name);
}

static void draw_one(const struct ui *ui, const struct cell *cell)
{
	struct drawn_device subject = make_subject(ui, cell->device);

	switch (ui->layout.cells.form) {
	case FORM_PANEL: draw_panel(&subject, &cell->rect); break;
	case FORM_LINE:
		if (ui->settings.view == VIEW_MEMORY)
			draw_pools(&subject, &cell->rect);
		else
			draw_line(&subject, &cell->rect);
		break;
	case FORM_BRIEF: draw_brief(&subject, &cell->rect); break;
	case FORM_CELL: draw_cell(&subject, &cell->rect); break;
	case FORM_NONE: break;
	}
}

/* "+4 devices": before and behind those shown. */
static void draw_more(const struct ui *ui)
{
	const struct cells *cells = &ui->layout.cells;
	size_t count = ui_counts(ui).devices, hidden = count - cells->shown;
	CLEANUP_BUF struct buf text = { 0 };

	if (rect_is_empty(&cells->more) || !hidden)
		return;
	buf_printf(&text, " +%zu device%s", hidden, hidden == 1 ? "" : "s");
	if (cells->first)
		buf_printf(&text, "  %s %zu before", paint_sign("↑", "^"), cells->first);
	if (cells->first + cells->shown < count)
		buf_printf(&text, "  %s %zu after", paint_sign("↓", "v"),
			   count - cells->first - cells->shown);
	paint_buf(cells->more.top, cells->more.left, cells->more.width, STYLE_WARN, &text);
}

void draw_cells(const struct ui *ui)
{
	struct counts counts = ui_counts(ui);
	struct cell_walk walk;
	struct cell cell;

	cells_begin(&walk, &ui->layout.cells, &counts);
	while (cells_next(&walk, &cell)) {
		draw_group(ui, &cell);
		draw_one(ui, &cell);
	}
	draw_more(ui);
}
