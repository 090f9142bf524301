#include "fleet/promql.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

void promql_put_string(struct buf *out, const char *text)
{
	buf_putc(out, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			buf_printf(out, "\\%c", *text);
		else if ((unsigned char)*text < ' ' || *text == 0x7F)
			buf_printf(out, "\\x%02x", (unsigned char)*text);
		else
			buf_putc(out, *text);
	}
	buf_putc(out, '"');
}

void promql_put_pattern(struct buf *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("\\.+*?()|[]{}^$", *text))
			buf_putc(out, '\\');
		buf_putc(out, *text);
	}
}

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

/* The end of a name; NULL: there is none. */
static const char *skip_name(const char *text)
{
	const char *at = text;

	if (isdigit((unsigned char)*at))
		return NULL;
	while (isalnum((unsigned char)*at) || *at == '_')
		at++;
	return at > text ? at : NULL;
}

static const char *skip_operator(const char *text)
{
	if (strncmp(text, "=~", 2) == 0 || strncmp(text, "!~", 2) == 0 ||
	    strncmp(text, "!=", 2) == 0)
		return text + 2;
	return *text == '=' ? text + 1 : NULL;
}

/* The end of a literal in double or single quotes. */
static const char *skip_literal(const char *text)
{
	char quote = *text++;

	if (quote != '"' && quote != '\'')
		return NULL;
	for (; *text != quote; text++) {
		if (*text == '\\')
			text++;
		if ((unsigned char)*text < ' ')
			return NULL;
	}
	return text + 1;
}

/* The end of one matcher. */
static const char *skip_matcher(const char *text)
{
	const char *at = skip_name(text);

	at = at ? skip_operator(skip_blanks(at)) : NULL;
	return at ? skip_literal(skip_blanks(at)) : NULL;
}

int promql_put_matchers(struct buf *out, const char *text)
{
	CLEANUP_BUF struct buf list = { 0 };
	const char *at = skip_blanks(text);

	do {
		const char *end = skip_matcher(at);

		if (!end)
			return -EINVAL;
		buf_add(&list, at, (size_t)(end - at));
		buf_putc(&list, ',');
		at = skip_blanks(end);
		if (*at && *at != ',')
			return -EINVAL;
		at = skip_blanks(at + (*at == ','));
	} while (*at);
	buf_puts(out, buf_text(&list));
	return list.failed ? -ENOMEM : 0;
}

void promql_put(struct buf *out, const char *expression, const char *matchers)
{
	for (; *expression; expression++) {
		if (*expression == '@')
			buf_puts(out, matchers);
		else
			buf_putc(out, *expression);
	}
}
