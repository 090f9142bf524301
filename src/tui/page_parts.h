/* The texts of a page, and what they are made of. */
#pragma once

#include "tui/ui.h"

enum { PAGE_FRAME = 4 }; /* columns around a text that lies over the view */

/* All about the selected device. */
void page_put_device(struct buf *out, const struct ui *ui);

/* All about the process whose details are open. */
void page_put_process(struct buf *out, const struct ui *ui);

/* "  label   value", or the reason why the value is not known. */
void page_put_field(struct buf *out, const struct field_table *table, unsigned field,
		    const void *object);

/* Cleaned text, padded to so many columns: it cannot start a line of its own. */
void page_put_cell(struct buf *out, const char *text, size_t columns);
