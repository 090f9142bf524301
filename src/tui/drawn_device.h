/* The forms in which a device is drawn: a panel, a line, a brief line, a cell of the grid. */
#pragma once

#include "tui/ui.h"

#include "render/style.h"

/* A device to be drawn. */
struct drawn_device {
	const struct device *dev;   /* current; its memory is always used */
	const struct device *shown; /* the same, or its last good reading */
	int64_t age_ns; /* age of the readings shown; 0: current, -1: it never had any */
	bool selected;
};

struct drawn_device drawn_device_make(const struct ui *ui, size_t position);

void draw_device_panel(const struct drawn_device *subject, const struct rect *r);
void draw_device_line(const struct drawn_device *subject, const struct rect *r);
void draw_device_pools(const struct drawn_device *subject, const struct rect *r);
void draw_device_brief(const struct drawn_device *subject, const struct rect *r);
void draw_device_cell(const struct drawn_device *subject, const struct rect *r);

/* ---- used by the forms ---- */

/* STYLE_DIM for old values, else the given style. */
enum style drawn_device_style(const struct drawn_device *subject, enum style style);

/* "12s ago" */
void drawn_device_put_age(struct buf *out, const struct drawn_device *subject);

/* "timed out, values of 12s ago" */
void drawn_device_put_condition(struct buf *out, const struct drawn_device *subject);

/*
 * "31● ": draws number and symbol; returns the width, four columns. With a PCI address, only the
 * symbol.
 */
int drawn_device_draw_id(const struct drawn_device *subject, int row, int column, int width);
