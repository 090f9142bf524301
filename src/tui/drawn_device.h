/* A device in its forms: a panel, a line, a brief line, a cell of the grid. */
#pragma once

#include "tui/ui.h"

#include "render/style.h"

/* A device to be drawn. */
struct drawn_device {
	const struct device *dev;   /* now; memory is always of now */
	const struct device *shown; /* the same, or as it last was */
	int64_t age_ns;		    /* of its readings; 0: now, -1: it never had any */
	bool selected;
};

struct drawn_device drawn_device_make(const struct ui *ui, size_t position);

void draw_device_panel(const struct drawn_device *subject, const struct rect *r);
void draw_device_line(const struct drawn_device *subject, const struct rect *r);
void draw_device_pools(const struct drawn_device *subject, const struct rect *r);
void draw_device_brief(const struct drawn_device *subject, const struct rect *r);
void draw_device_cell(const struct drawn_device *subject, const struct rect *r);

/* ---- for the forms ---- */

/* STYLE_DIM for old values, else the style given. */
enum style drawn_device_style(const struct drawn_device *subject, enum style style);

/* "timed out, values of 12s ago" */
void drawn_device_put_condition(struct buf *out, const struct drawn_device *subject);

/* "31● ": number and sign; returns the columns, four. A PCI address has only the sign. */
int drawn_device_draw_id(const struct drawn_device *subject, int row, int column, int width);
