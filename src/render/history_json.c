#include "render/history_json.h"

#include "basic/clock.h"
#include "render/json_fields.h"

#include <math.h>
#include <string.h>

enum { SCHEMA_VERSION = 1, FINE_SECONDS = 600, COARSE_STEP = 6, MOST_STEPS = 601 };

/* The steps that are shown: they begin at multiples of their duration, as those of the store. */
struct steps {
	int64_t begin_ns, step_ns; /* CLOCK_MONOTONIC */
	size_t count;
};

static struct steps choose_steps(int64_t now_ns, unsigned seconds)
{
	struct steps steps = { .step_ns = (seconds <= FINE_SECONDS ? 1 : COARSE_STEP) * NS_PER_S };
	int64_t first = MAX(now_ns - seconds * NS_PER_S, 0) / steps.step_ns + 1;

	steps.begin_ns = first * steps.step_ns;
	steps.count = (size_t)MAX(now_ns / steps.step_ns - first + 1, 0);
	return steps;
}

/*
 * Four significant digits: the store has fewer than three. A hundred thousand of them are written,
 * for which printf() takes too long.
 */
static void put_rounded(struct buf *out, double number)
{
	char digits[8], *end = digits + sizeof(digits), *at = end;
	int exponent = 0, length;
	unsigned whole;

	if (!(number > 1e-9)) { /* readings are not negative */
		buf_putc(out, '0');
		return;
	}
	for (; number >= 9999.5; number /= 10)
		exponent++;
	for (; number < 999.95; number *= 10)
		exponent--;
	for (whole = (unsigned)(number + 0.5); whole % 10 == 0; whole /= 10)
		exponent++;
	for (; whole; whole /= 10)
		*--at = (char)('0' + whole % 10);
	length = (int)(end - at);
	if (exponent >= 0 && exponent <= 2) {
		buf_add(out, at, (size_t)length);
		buf_fill(out, '0', (size_t)exponent);
	} else if (exponent < 0 && -exponent < length) {
		const char *point = end + exponent;

		buf_add(out, at, (size_t)(point - at));
		buf_putc(out, '.');
		buf_add(out, point, (size_t)(end - point));
	} else {
		buf_add(out, at, (size_t)length);
		buf_printf(out, "e%d", exponent);
	}
}

/* One side of the ranges; NAN: a gap. */
static void put_side(struct json *json, const char *key, const struct metric_range *ranges,
		     size_t count, bool high, double scale)
{
	json_open(json, key, '[');
	for (size_t i = 0; i < count; i++) {
		double number = high ? ranges[i].high : ranges[i].low;

		if (i)
			buf_putc(json->out, ',');
		if (isnan(number))
			buf_puts(json->out, "null");
		else
			put_rounded(json->out, number * scale);
	}
	json_close(json, ']');
}

/* A reading of which no value is known is null. */
static void put_metric(struct json *json, const struct history *history, const struct device *dev,
		       enum metric metric, const struct steps *steps)
{
	struct metric_range ranges[MOST_STEPS];
	size_t count = MIN(steps->count, MOST_STEPS);
	bool known = false;

	for (size_t i = 0; i < count; i++) {
		int64_t from = steps->begin_ns + (int64_t)i * steps->step_ns;

		if (history_range(history, dev, metric, from, from + steps->step_ns, &ranges[i]))
			known = true;
		else
			ranges[i] = (struct metric_range){ NAN, NAN };
	}
	if (!known) {
		json_null(json, metric_names[metric]);
		return;
	}
	json_open(json, metric_names[metric], '{');
	put_side(json, "low", ranges, count, false, metric_infos[metric].scale);
	put_side(json, "high", ranges, count, true, metric_infos[metric].scale);
	json_close(json, '}');
}

static bool is_asked(const struct history_query *query, size_t metric)
{
	return query->metric < 0 || (size_t)query->metric == metric;
}

static void put_device(struct json *json, const struct history *history, const struct device *dev,
		       const struct history_query *query, const struct steps *steps)
{
	json_open(json, NULL, '{');
	json_put_id(json, dev);
	json_put_field(json, "uuid", &device_fields, DEV_UUID, dev);
	json_open(json, "readings", '{');
	for (size_t i = 0; i < METRIC_N; i++)
		if (is_asked(query, i))
			put_metric(json, history, dev, i, steps);
	json_close(json, '}');
	json_close(json, '}');
}

/* What the readings are: the path in the document of --json, and the unit. */
static void put_metrics(struct json *json, const struct history_query *query)
{
	json_open(json, "metrics", '{');
	for (size_t i = 0; i < METRIC_N; i++) {
		const struct field *field = &device_fields.fields[metric_infos[i].field];

		if (!is_asked(query, i))
			continue;
		json_open(json, metric_names[i], '{');
		json_text(json, "title", metric_infos[i].title);
		json_text(json, "field", field->json);
		json_text(json, "unit", unit_infos[field->unit].json);
		json_close(json, '}');
	}
	json_close(json, '}');
}

static bool is_selected(const struct history_query *query, const struct device *dev)
{
	return !query->device || strcmp(query->device, dev->id) == 0;
}

bool history_json_render(struct buf *out, const struct render_options *options,
			 const struct history *history, const struct snapshot *snapshot,
			 const struct history_query *query)
{
	struct json json = { .out = out, .first = true };
	struct steps steps = choose_steps(snapshot->taken_ns, query->seconds);
	size_t found = 0;

	json_open(&json, NULL, '{');
	json_text(&json, "schema", "tt-smi-history");
	json_u64(&json, "schema_version", SCHEMA_VERSION);
	json_text(&json, "version", options->version);
	json_put_time(&json, snapshot->wall_ns);
	json_bool(&json, "simulated", snapshot->simulated);
	json_u64(&json, "step", (uint64_t)(steps.step_ns / NS_PER_S));
	json_double(
		&json, "start",
		(double)((snapshot->wall_ns - snapshot->taken_ns + steps.begin_ns) / NS_PER_MS) /
			1000);
	json_u64(&json, "count", MIN(steps.count, MOST_STEPS));
	put_metrics(&json, query);
	json_open(&json, "devices", '[');
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		if (!is_selected(query, &snapshot->devices[i]))
			continue;
		put_device(&json, history, &snapshot->devices[i], query, &steps);
		found++;
	}
	json_close(&json, ']');
	json_close(&json, '}');
	buf_putc(out, '\n');
	return found || !query->device;
}
