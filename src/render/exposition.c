#include "render/exposition.h"

#include "basic/text.h"
#include "render/format.h"

#include <string.h>

static const struct field *row_field(const struct metric_row *row)
{
	switch (row->value.of) {
	case OF_HOST: return &host_fields.fields[row->value.index];
	case OF_DEVICE: return &device_fields.fields[row->value.index];
	case OF_TOTALS: return &totals_fields.fields[row->value.index];
	default: return NULL;
	}
}

static const char *row_unit(const struct metric_row *row)
{
	const struct field *field = row_field(row);

	return unit_infos[field ? field->unit : row->unit].metric;
}

const char *metric_help(const struct metric_row *row)
{
	return row->help ? row->help : row_field(row)->help;
}

/* The name of the family in OpenMetrics. */
static void put_name(struct buf *out, const struct metric_row *row)
{
	const char *unit = row_unit(row);

	buf_printf(out, "ttsmi_%s%s%s", row->name, unit ? "_" : "", unit ? unit : "");
}

void metric_put_name(struct buf *out, const struct metric_row *row)
{
	static const char *const suffixes[] = { "", "_total", "_info" };

	put_name(out, row);
	buf_puts(out, suffixes[row->type]);
}

static void put_header_line(struct exposition *page, const char *word, const char *text)
{
	buf_printf(page->out, "# %s ", word);
	if (page->format == METRICS_OPENMETRICS)
		put_name(page->out, page->family);
	else
		metric_put_name(page->out, page->family);
	buf_printf(page->out, " %s\n", text);
}

/* Only families with a series have a header. */
static void put_header(struct exposition *page)
{
	const struct metric_row *row = page->family;
	static const char *const types[METRICS_FORMATS][3] = {
		[METRICS_TEXT] = { "gauge", "counter", "gauge" },
		[METRICS_OPENMETRICS] = { "gauge", "counter", "info" },
	};

	if (page->announced)
		return;
	page->announced = true;
	put_header_line(page, "TYPE", types[page->format][row->type]);
	if (row_unit(row) && page->format == METRICS_OPENMETRICS)
		put_header_line(page, "UNIT", row_unit(row));
	put_header_line(page, "HELP", metric_help(row));
}

/* Writes one label; the text may contain any bytes. */
void exposition_label(struct buf *out, bool *first, const char *name, const char *text)
{
	buf_printf(out, "%s%s=\"", *first ? "" : ",", name);
	*first = false;
	for (size_t length = strlen(text); length;) {
		uint32_t c = 0xFFFD; /* replaces a byte that is not valid UTF-8 */
		size_t n = utf8_decode(text, length, &c);

		if (c == '\n')
			buf_puts(out, "\\n");
		else if (c == '"' || c == '\\')
			buf_printf(out, "\\%c", (char)c);
		else
			utf8_encode(out, c);
		text += n ? n : 1;
		length -= n ? n : 1;
	}
	buf_putc(out, '"');
}

static void put_device_labels(struct buf *out, bool *first, const struct device *dev)
{
	exposition_label(out, first, "device", dev->id);
	if (device_knows(dev, DEV_UUID))
		exposition_label(out, first, "uuid", dev->uuid);
}

/* Writes what stands before the value. dev may be NULL; labels are ready to print, or NULL. */
void exposition_series(struct exposition *page, const struct metric_row *row,
		       const struct device *dev, const char *labels)
{
	bool first = true;

	put_header(page);
	metric_put_name(page->out, row);
	if (!dev && !labels) {
		buf_putc(page->out, ' ');
		return;
	}
	buf_putc(page->out, '{');
	if (dev)
		put_device_labels(page->out, &first, dev);
	if (labels)
		buf_printf(page->out, "%s%s", first ? "" : ",", labels);
	buf_puts(page->out, "} ");
}

void exposition_number(struct exposition *page, double number)
{
	format_shortest(page->out, number);
	buf_putc(page->out, '\n');
}
