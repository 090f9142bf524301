#include "render/chart_text.h"

#include "basic/clock.h"
#include "render/format.h"
#include "render/lower_bound.h"
#include "render/plot.h"
#include "render/utilization_text.h"

double chart_unit_factor(const struct metric_info *info)
{
	return info->bytes ? info->scale / format_unit_size(info->bytes) : 1;
}

double chart_top(const struct device *dev, const struct metric_info *info, double most)
{
	struct value limit;
	double top;

	field_get(&device_fields, info->limit, dev, &limit);
	top = limit.number / info->scale * chart_unit_factor(info);
	if (info->limit != info->field && limit.why == KNOWN && top >= most && top > 0)
		return top;
	return plot_top(most, info->step);
}

void chart_put_span(struct buf *out, int64_t ns)
{
	long long s = ns / NS_PER_S;

	if (s % 60 == 0)
		buf_printf(out, "%lld min", s / 60);
	else
		buf_printf(out, "%lld s", s);
}

void chart_put_ago(struct buf *out, int64_t ns)
{
	if (ns < NS_PER_S) {
		buf_puts(out, "now");
		return;
	}
	chart_put_span(out, ns);
	buf_puts(out, " ago");
}

void chart_put_figure(struct buf *out, const struct metric_info *info, double number, bool utf8)
{
	const char *unit = utf8 ? info->unit : info->ascii;

	if (info->bytes && number < 100)
		format_tenths(out, number);
	else
		format_whole(out, number);
	buf_putc(out, ' ');
	buf_puts(out, info->bytes ? format_unit_name(info->bytes) : unit);
}

/* A reading with all of its digits. Returns whether it is known. */
static bool put_value(struct buf *out, const struct device *dev, const struct metric_info *info,
		      enum device_field field, bool utf8)
{
	struct value value;

	field_get(&device_fields, field, dev, &value);
	if (value.why != KNOWN)
		return false;
	if (info->bytes)
		format_bytes_apart(out, (uint64_t)value.number);
	else
		chart_put_figure(out, info, value.number / info->scale, utf8);
	buf_puts(out, info->rate ? "/s" : "");
	return true;
}

void chart_put_brief(struct buf *out, const struct device *dev, const struct metric_info *info,
		     bool utf8)
{
	if (info->field == DEV_DISPATCH && device_knows(dev, DEV_DISPATCH)) {
		utilization_put_percent(out, dev->why + DEV_DISPATCH, &dev->utilization, " %",
					utf8);
		return;
	}
	buf_puts(out, lower_bound_of_device(dev, info->field, utf8));
	if (!put_value(out, dev, info, info->field, utf8))
		buf_puts(out, "N/A");
}

void chart_put_reading(struct buf *out, const struct device *dev, const struct metric_info *info,
		       bool utf8)
{
	CLEANUP_BUF struct buf limit = { 0 };

	chart_put_brief(out, dev, info, utf8);
	if (dev->why[info->field] != KNOWN)
		buf_printf(out, " (%s)", reason_text(dev->why[info->field]));
	else if (info->limit != info->field && put_value(&limit, dev, info, info->limit, utf8))
		buf_printf(out, " of %s", buf_text(&limit));
}
