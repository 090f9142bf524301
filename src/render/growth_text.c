#include "render/growth_text.h"

#include "basic/clock.h"
#include "render/format.h"

static void put_change(struct buf *out, const struct growth *growth, bool brief)
{
	if (brief)
		buf_putc(out, growth->bytes < 0 ? '-' : '+');
	else
		buf_puts(out, growth->bytes < 0 ? "shrank " : "grew ");
	format_bytes(out, (uint64_t)(growth->bytes < 0 ? -growth->bytes : growth->bytes));
	buf_puts(out, " in ");
	format_span(out, (double)growth->span_ns / NS_PER_S);
	if (growth->has_frees && growth->bytes > 0 && !brief)
		buf_printf(out, ", %llu free%s", (unsigned long long)growth->frees,
			   growth->frees == 1 ? "" : "s");
	if (growth->trend == TREND_LEAK)
		buf_puts(out, ": leak?");
}

enum style growth_put(struct buf *out, const struct series *series, bool brief)
{
	struct growth growth = growth_judge(series);

	switch (growth.trend) {
	case TREND_STEADY: buf_puts(out, "steady"); return STYLE_PLAIN;
	case TREND_SHRANK:
	case TREND_GREW:
	case TREND_LEAK:
		put_change(out, &growth, brief);
		return growth.trend == TREND_LEAK ? STYLE_WARN : STYLE_PLAIN;
	case TREND_UNKNOWN:
	case TREND_N: break;
	}
	if (!series_spans_time(series)) {
		buf_puts(out, "N/A");
		return STYLE_DIM;
	}
	buf_puts(out, "seen for ");
	format_span(out, (double)growth.span_ns / NS_PER_S);
	return STYLE_DIM;
}
