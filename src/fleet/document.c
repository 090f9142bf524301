#include "fleet/document.h"

#include "basic/text.h"
#include "render/format.h"

#include <math.h>
#include <string.h>

uint64_t number_to_u64(double value)
{
	static const double too_large = 18446744073709551616.0; /* 2^64 */

	if (!(value > 0))
		return 0;
	return value < too_large ? (uint64_t)value : UINT64_MAX;
}

/* Counts and bytes are written in full: 32000, not 3.2e+04. */
static bool is_whole(double value)
{
	static const double exact = 9007199254740992; /* 2^53 */

	return value >= 0 && value < exact && value == floor(value);
}

void document_put_number(struct json *json, const char *key, double value)
{
	if (!isfinite(value))
		json_null(json, key);
	else if (is_whole(value))
		json_u64(json, key, (uint64_t)value);
	else
		json_double(json, key, value);
}

void csv_put_number(struct buf *out, double value)
{
	if (is_whole(value))
		buf_printf(out, "%.0f", value);
	else if (isfinite(value))
		format_shortest(out, value);
}

void csv_put_text(struct buf *out, const char *text)
{
	CLEANUP_BUF struct buf clean = { 0 };
	bool quotes;

	text_clean(&clean, text, strlen(text), true);
	text = buf_text(&clean);
	quotes = strpbrk(text, ",\" ") != NULL;
	buf_puts(out, quotes ? "\"" : "");
	for (; *text; text++) {
		if (*text == '"')
			buf_putc(out, '"');
		buf_putc(out, *text);
	}
	buf_puts(out, quotes ? "\"" : "");
}
