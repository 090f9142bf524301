/* The document of one device: its readings by section, its charts, its processes. */
#include "render/web_json.h"

#include "basic/clock.h"
#include "render/chart.h"
#include "render/chart_text.h"
#include "render/device_text.h"
#include "render/field_text.h"
#include "render/web_parts.h"

#include <string.h>

enum { COLUMNS = 300 }; /* of a chart, to find its highest value */

void web_put_reading(struct json *json, const struct field_table *table, unsigned field,
		     const void *object)
{
	CLEANUP_BUF struct buf text = { 0 };
	struct value value;

	field_get(table, field, object, &value);
	field_put_text(&text, table, field, object, true);
	json_open(json, NULL, '[');
	json_text(json, NULL, table->fields[field].label);
	json_text(json, NULL, buf_text(&text));
	json_bool(json, NULL, value.why == KNOWN);
	json_close(json, ']');
}

static void put_section(struct json *json, const struct device *dev, const char *section)
{
	json_open(json, NULL, '{');
	json_text(json, "name", section);
	json_open(json, "readings", '[');
	for (unsigned i = 0; i < device_fields.count; i++)
		if (field_is_in_section(&device_fields, i, section))
			web_put_reading(json, &device_fields, i, dev);
	json_close(json, ']');
	json_close(json, '}');
}

static void put_sections(struct json *json, const struct device *dev)
{
	json_open(json, "sections", '[');
	for (unsigned i = 0; i < device_fields.count; i++)
		if (field_begins_section(&device_fields, i))
			put_section(json, dev, device_fields.fields[i].section);
	json_close(json, ']');
}

/* The number at the upper edge, and the newest value, in base units. */
static void put_numbers(struct json *json, const struct web_view *view, const struct device *dev,
			enum metric metric, int64_t span_ns)
{
	const struct metric_info *info = &metric_infos[metric];
	struct metric_range values[COLUMNS * PLOT_SIDES];
	struct chart chart = {
		.history = view->history, .dev = dev, .metric = metric, .columns = COLUMNS
	};
	CLEANUP_BUF struct buf label = { 0 };
	struct value value;
	double top;

	chart_place(&chart, view->snapshot->taken_ns, span_ns);
	top = chart_top(dev, info, chart_read(&chart, values) * chart_unit_factor(info));
	chart_put_figure(&label, info, top, true);
	buf_puts(&label, info->rate ? "/s" : "");
	json_double(json, "top", top * info->scale / chart_unit_factor(info));
	json_text(json, "label", buf_text(&label));
	field_get(&device_fields, info->field, dev, &value);
	if (value.why == KNOWN)
		json_double(json, "now", value.number);
	else
		json_null(json, "now");
}

/* Readings that no device has ever had have no chart, as on the full screen. */
static void put_charts(struct json *json, const struct web_view *view, const struct device *dev)
{
	CLEANUP_BUF struct buf ago = { 0 };
	int64_t span_ns =
		chart_span(history_begin(view->history), view->snapshot->taken_ns, READING_SPAN_NS);

	json_u64(json, "span", (uint64_t)(span_ns / NS_PER_S));
	chart_put_ago(&ago, span_ns);
	json_text(json, "ago", buf_text(&ago));
	json_open(json, "charts", '[');
	for (enum metric i = 0; i < METRIC_N; i++) {
		CLEANUP_BUF struct buf text = { 0 };

		if (!history_knows(view->history, NULL, i))
			continue;
		chart_put_reading(&text, dev, &metric_infos[i], true);
		json_open(json, NULL, '{');
		json_text(json, "name", metric_names[i]);
		json_text(json, "title", metric_infos[i].title);
		json_text(json, "text", buf_text(&text));
		put_numbers(json, view, dev, i, span_ns);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static const struct device *find_device(const struct snapshot *snapshot, const char *id)
{
	for (size_t i = 0; i < snapshot->n_devices; i++)
		if (strcmp(snapshot->devices[i].id, id) == 0)
			return &snapshot->devices[i];
	return NULL;
}

bool web_put_device(struct buf *out, const struct web_view *view, const char *id)
{
	const struct device *dev = find_device(view->snapshot, id);
	const struct process_scope scope = { .snapshot = view->snapshot, .dev = dev };
	struct json json = { .out = out, .first = true };
	CLEANUP_BUF struct buf name = { 0 };

	if (!dev)
		return false;
	device_put_name(&name, dev);
	json_open(&json, NULL, '{');
	json_u64(&json, "sample", view->sample);
	json_double(&json, "time", (double)(view->snapshot->wall_ns / NS_PER_MS) / 1000);
	json_text(&json, "id", dev->id);
	json_text(&json, "name", buf_text(&name));
	put_sections(&json, dev);
	put_charts(&json, view, dev);
	web_put_pools(&json, view->snapshot, dev);
	web_put_processes(&json, &scope, view->hide_owners);
	json_close(&json, '}');
	buf_putc(out, '\n');
	return true;
}
