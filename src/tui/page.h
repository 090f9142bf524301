/* Texts that scroll: the help, one process, one device. */
#pragma once

#include "tui/ui.h"

/* The text of the view, and the one over it. Lines end in newlines. */
void page_of_view(const struct ui *ui, struct buf *out);
void page_of_overlay(const struct ui *ui, struct buf *out);

/* Breaks lines that are wider than this. */
void page_wrap(struct buf *out, const struct buf *text, int width);

size_t page_lines(const struct buf *text);

/* Scrolls the text over the view to the line that begins with the anchor; NULL: stays. */
void page_go_to(struct ui *ui, const char *anchor);
