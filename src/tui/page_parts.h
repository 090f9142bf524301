/* The texts of a page and their parts. */
#pragma once

#include "tui/ui.h"

enum { PAGE_FRAME = 4 }; /* columns around the text of an overlay */

/* The page of the selected device. */
void page_put_device(struct buf *out, const struct ui *ui);

/* The page of the process whose details are open. */
void page_put_process(struct buf *out, const struct ui *ui);

/* What is known of the selected process. */
void page_put_selected(struct buf *out, const struct ui *ui);

/* "  label   value", or the reason why the value is unknown. */
void page_put_field(struct buf *out, const struct field_table *table, unsigned field,
		    const void *object);

/*
 * Text without control characters, padded to the given width, which cannot start a line. A blank
 * follows a text that is wider; columns 0: nothing follows.
 */
void page_put_cell(struct buf *out, const char *text, size_t columns);
