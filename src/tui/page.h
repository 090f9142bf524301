/* Scrolling texts: the help, one process, one device. */
#pragma once

#include "tui/ui.h"

/* The text of the view, and that of the overlay. Lines end in newlines. */
void page_of_view(const struct ui *ui, struct buf *out);
/* The text of an overlay is in so many columns side by side. */
int overlay_columns(const struct ui *ui);
int overlay_rows(const struct ui *ui);
void page_of_overlay(const struct ui *ui, struct buf *out);

/* Wraps lines that are wider than this. */
void page_wrap(struct buf *out, const struct buf *text, int width, int indent);

/*
 * Inserts empty lines, so that no entry begins in one column of this height and ends in the next.
 * Continued lines have this indent. Changes nothing if the columns had no room for that.
 */
void page_keep_entries(struct buf *text, size_t indent, size_t height, size_t columns);

size_t page_lines(const struct buf *text);

/* Scrolls the overlay text to the line that begins with the anchor; NULL: no change. */
void page_go_to(struct ui *ui, const char *anchor);
