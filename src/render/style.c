#include "render/style.h"

#include <string.h>

static const char *const sequences[STYLE_PRINTED] = {
	[STYLE_PLAIN] = "\033[0m", [STYLE_BOLD] = "\033[1m",  [STYLE_DIM] = "\033[2m",
	[STYLE_GOOD] = "\033[32m", [STYLE_WARN] = "\033[33m", [STYLE_BAD] = "\033[31m",
};

enum style style_of_sequence(const char *text, size_t *ret_length)
{
	for (enum style i = 0; i < STYLE_PRINTED; i++) {
		*ret_length = strlen(sequences[i]);
		if (strncmp(text, sequences[i], *ret_length) == 0)
			return i;
	}
	return STYLE_N;
}

void style_put(struct buf *out, const struct render_options *options, enum style style,
	       const char *text)
{
	if (options->color && style != STYLE_PLAIN && text[0])
		buf_printf(out, "%s%s%s", sequences[style], text, sequences[STYLE_PLAIN]);
	else
		buf_puts(out, text);
}
