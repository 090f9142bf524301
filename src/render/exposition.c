#include "render/exposition.h"

#include "basic/text.h"
#include "render/format.h"

#include <stdlib.h>
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

/* Up to a semicolon: the rest of a help text is for the documentation. */
static void put_header_line(struct exposition *page, const char *word, const char *text)
{
	buf_printf(page->out, "# %s ", word);
	if (page->format == METRICS_OPENMETRICS)
		put_name(page->out, page->family);
	else
		metric_put_name(page->out, page->family);
	buf_printf(page->out, " %.*s\n", (int)strcspn(text, ";"), text);
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

static void put_device_labels(struct buf *out, const struct device *dev)
{
	bool first = true;

	exposition_label(out, &first, "device", dev->id);
	if (device_knows(dev, DEV_UUID))
		exposition_label(out, &first, "uuid", dev->uuid);
}

/* Without memory to keep the labels, they are generated for each series. */
void exposition_begin(struct exposition *page)
{
	const struct snapshot *snapshot = page->view->snapshot;

	page->devices = calloc(snapshot->n_devices + 1, sizeof(*page->devices));
	for (size_t i = 0; page->devices && i < snapshot->n_devices; i++)
		put_device_labels(&page->devices[i], &snapshot->devices[i]);
}

void exposition_end(struct exposition *page)
{
	const struct snapshot *snapshot = page->view->snapshot;

	for (size_t i = 0; page->devices && i < snapshot->n_devices; i++)
		buf_done(&page->devices[i]);
	free(page->devices);
	buf_done(&page->name);
}

void exposition_family(struct exposition *page, const struct metric_row *row)
{
	page->family = row;
	page->announced = false;
	buf_reset(&page->name);
	metric_put_name(&page->name, row);
}

/* Writes name and labels, before the value. dev may be NULL; labels are ready to print, or NULL. */
void exposition_series(struct exposition *page, const struct device *dev, const char *labels)
{
	put_header(page);
	buf_add(page->out, page->name.data, page->name.length);
	if (!dev && !labels) {
		buf_putc(page->out, ' ');
		return;
	}
	buf_putc(page->out, '{');
	if (dev && page->devices) {
		const struct buf *known = &page->devices[dev - page->view->snapshot->devices];

		buf_add(page->out, known->data, known->length);
	} else if (dev) {
		put_device_labels(page->out, dev);
	}
	if (dev && labels)
		buf_putc(page->out, ',');
	if (labels)
		buf_add(page->out, labels, strlen(labels));
	buf_add(page->out, "} ", 2);
}

static void put_digits(struct buf *out, uint64_t number, size_t least)
{
	char digits[24], *at = digits + sizeof(digits);

	do {
		*--at = (char)('0' + number % 10);
		number /= 10;
	} while (number || (size_t)(digits + sizeof(digits) - at) < least);
	buf_add(out, at, (size_t)(digits + sizeof(digits) - at));
}

void exposition_count(struct exposition *page, uint64_t number)
{
	put_digits(page->out, number, 1);
	buf_putc(page->out, '\n');
}

/* Most numbers have at most three decimals, which need no search for the shortest form. */
static bool put_short(struct buf *out, double number)
{
	uint64_t thousandths, whole, rest;
	size_t places = 3;

	if (!(number >= 0 && number < 1e12))
		return false;
	thousandths = (uint64_t)(number * 1000 + 0.5);
	if ((double)thousandths / 1000 != number)
		return false;
	whole = thousandths / 1000;
	rest = thousandths % 1000;
	put_digits(out, whole, 1);
	if (!rest)
		return true;
	for (; rest % 10 == 0; rest /= 10)
		places--;
	buf_putc(out, '.');
	put_digits(out, rest, places);
	return true;
}

void exposition_number(struct exposition *page, double number)
{
	if (!put_short(page->out, number))
		format_shortest(page->out, number);
	buf_putc(page->out, '\n');
}
