/* Single fields on a page. */
#include "tui/page_parts.h"

#include "basic/text.h"
#include "render/format.h"
#include "render/lower_bound.h"
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
}

static void put_value(struct buf *out, const struct value *value)
{
	if (value->why == NOT_APPLICABLE)
		buf_puts(out, "-");
	else if (value->why != KNOWN)
		buf_printf(out, "N/A (%s)", reason_text(value->why));
	else
		format_reading(out, value, paint_is_utf8());
}

/* The sign for a figure that is a lower bound. */
static const char *bound_of(const struct field_table *table, unsigned field, const void *object)
{
	if (table == &device_fields)
		return lower_bound_of_device(object, field, paint_is_utf8());
	if (table == &usage_fields)
		return lower_bound_of_usage(object, field, paint_is_utf8());
	return "";
}

void page_put_field(struct buf *out, const struct field_table *table, unsigned field,
		    const void *object)
{
	CLEANUP_BUF struct buf text = { 0 };
	struct value value;

	field_get(table, field, object, &value);
	if (!value.field->label)
		return;
	buf_printf(out, "  %-28s %s", value.field->label,
		   value.why == KNOWN ? bound_of(table, field, object) : "");
	put_value(&text, &value);
	page_put_cell(out, buf_text(&text), 0);
	buf_putc(out, '\n');
}
