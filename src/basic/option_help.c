/* The help of an option table: names, argument and wrapped text of each row. */
#include "basic/option.h"

#include "basic/text.h"

#include <string.h>

enum { HELP_AT = 30, HELP_WIDTH = 78 };

/* Wraps a help text at blanks. */
static void put_wrapped(struct buf *out, const char *text)
{
	size_t at = HELP_AT;

	while (*text) {
		size_t length = strcspn(text, " "), width = text_width(text, length);

		if (at > HELP_AT && at + 1 + width > HELP_WIDTH) {
			buf_putc(out, '\n');
			buf_fill(out, ' ', HELP_AT);
			at = HELP_AT;
		} else if (at > HELP_AT) {
			buf_putc(out, ' ');
			at++;
		}
		buf_add(out, text, length);
		at += width;
		text += length;
		text += strspn(text, " ");
	}
	buf_putc(out, '\n');
}

void option_put_values(struct buf *out, const struct option_spec *option, const char *separator,
		       const char *last_separator)
{
	for (size_t i = 0; i < option->n_values; i++) {
		if (i > 0)
			buf_puts(out, i + 1 < option->n_values ? separator : last_separator);
		buf_puts(out, option->values[i]);
	}
}

void option_put_argument(struct buf *out, const struct option_spec *option)
{
	if (option->argument_name)
		buf_puts(out, option->argument_name);
	else
		option_put_values(out, option, "|", "|");
}

static void put_names(struct buf *out, const struct option_spec *option)
{
	static const char *const before[] = {
		[ARGUMENT] = " ", [NUMBER_OR_NOTHING] = " [", [INLINE_OR_NOTHING] = "[="
	};
	const char *second = strchr(option->names, ' ');
	bool long_only = strncmp(option->names, "--", 2) == 0;

	buf_printf(out, "%s%.*s", long_only ? "      " : "  ", (int)strcspn(option->names, " "),
		   option->names);
	if (second && !long_only)
		buf_printf(out, ", %.*s", (int)strcspn(second + 1, " "), second + 1);
	if (option->argument == NO_ARGUMENT)
		return;
	buf_puts(out, before[option->argument]);
	option_put_argument(out, option);
	if (option->argument != ARGUMENT)
		buf_putc(out, ']');
}

static void put_option(struct buf *out, const struct option_spec *option)
{
	CLEANUP_BUF struct buf names = { 0 }, help = { 0 };
	size_t width;

	put_names(&names, option);
	buf_puts(&help, option->help);
	if (option->values && option->argument_name) {
		buf_puts(&help, ": ");
		option_put_values(&help, option, ", ", " or ");
	}
	width = text_width(buf_text(&names), names.length);
	buf_puts(out, buf_text(&names));
	if (width + 2 > HELP_AT) {
		buf_putc(out, '\n');
		width = 0;
	}
	buf_fill(out, ' ', HELP_AT - width);
	put_wrapped(out, buf_text(&help));
}

void option_put_help(struct buf *out, const struct option_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		put_option(out, &table->rows[i]);
}
