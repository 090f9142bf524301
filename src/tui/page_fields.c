/* Single fields on a page. */
#include "tui/page_parts.h"

#include "basic/text.h"
#include "render/field_text.h"
#include "tui/paint.h"

#include <string.h>

/* Foreign text, padded to the given width: newlines in it must not start a line. */
void page_put_cell(struct buf *out, const char *text, size_t columns)
{
	CLEANUP_BUF struct buf clean = { 0 };
	size_t width;

	text_clean(&clean, text, strlen(text), paint_is_utf8());
	width = text_width(buf_text(&clean), clean.length);
	buf_puts(out, buf_text(&clean));
	buf_fill(out, ' ', columns - MIN(width, columns));
	if (columns && width >= columns)
		buf_putc(out, ' ');
}

void page_put_field(struct buf *out, const struct field_table *table, unsigned field,
		    const void *object)
{
	CLEANUP_BUF struct buf text = { 0 };

	if (!table->fields[field].label)
		return;
	buf_printf(out, "  %-28s ", table->fields[field].label);
	field_put_text(&text, table, field, object, paint_is_utf8());
	page_put_cell(out, buf_text(&text), 0);
	buf_putc(out, '\n');
}
