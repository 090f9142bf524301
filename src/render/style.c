#include "render/style.h"

void style_put(struct buf *out, const struct render_options *options, enum style style,
	       const char *text)
{
	static const char *const sequences[STYLE_PRINTED] = {
		[STYLE_PLAIN] = "",	   [STYLE_BOLD] = "\033[1m",  [STYLE_DIM] = "\033[2m",
		[STYLE_GOOD] = "\033[32m", [STYLE_WARN] = "\033[33m", [STYLE_BAD] = "\033[31m",
	};

	if (options->color && style != STYLE_PLAIN && text[0])
		buf_printf(out, "%s%s\033[0m", sequences[style], text);
	else
		buf_puts(out, text);
}
