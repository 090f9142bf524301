#include "doctor/status_line.h"

#include "basic/text.h"
#include "doctor/finding_json.h"

#include <math.h>
#include <string.h>

/* More findings than these are counted only: monitoring systems cut long lines. */
enum { PROBLEMS_SHOWN = 8 };

static const char *const status_words[] = {
	[CHECK_FINE] = "OK",
	[CHECK_WARNING] = "WARNING",
	[CHECK_CRITICAL] = "CRITICAL",
	[CHECK_UNKNOWN] = "UNKNOWN",
};

enum check_exit check_status(const struct report *report)
{
	switch (report_worst(report)) {
	case LEVEL_FAIL: return CHECK_CRITICAL;
	case LEVEL_WARN: return CHECK_WARNING;
	case LEVEL_NOTE:
	case LEVEL_OK: break;
	}
	return report_is_incomplete(report) ? CHECK_UNKNOWN : CHECK_FINE;
}

/* ---- the line ---- */

/* Performance data begins at the first "|", so a text must not have one. */
static void put_text(struct buf *out, const struct render_options *options, const char *text)
{
	size_t from = out->length;

	text_clean(out, text, strlen(text), options->utf8);
	for (size_t i = from; i < out->length; i++)
		if (out->data[i] == '|')
			out->data[i] = '/';
}

static void put_problem(struct buf *out, const struct render_options *options,
			const struct finding *finding)
{
	if (finding->device[0])
		buf_puts(out, "device ");
	if (finding->subject) {
		put_text(out, options, finding->subject);
		buf_puts(out, ": ");
	}
	put_text(out, options, finding->text);
}

static bool is_of(const struct report *report, const struct finding *finding,
		  enum check_exit status)
{
	if (status == CHECK_UNKNOWN)
		return finding->unexamined && report->requested & AREA_BIT(finding->area);
	return finding->level == (status == CHECK_CRITICAL ? LEVEL_FAIL : LEVEL_WARN);
}

/* The worst first. */
static void put_problems(struct buf *out, const struct render_options *options,
			 const struct report *report)
{
	static const enum check_exit order[] = { CHECK_CRITICAL, CHECK_WARNING, CHECK_UNKNOWN };
	size_t count = 0;

	for (size_t k = 0; k < ARRAY_SIZE(order); k++)
		for (size_t i = 0; i < report->count; i++) {
			if (!is_of(report, &report->findings[i], order[k]) ||
			    ++count > PROBLEMS_SHOWN)
				continue;
			if (count > 1)
				buf_puts(out, "; ");
			put_problem(out, options, &report->findings[i]);
		}
	if (count > PROBLEMS_SHOWN)
		buf_printf(out, "; and %zu more", count - PROBLEMS_SHOWN);
}

static size_t count_devices(const struct snapshot *snapshot)
{
	size_t count = 0;

	for (size_t i = 0; snapshot && i < snapshot->n_devices; i++)
		count += device_is_served(&snapshot->devices[i]);
	return count;
}

static void put_summary(struct buf *out, const struct render_options *options,
			const struct report *report, const struct snapshot *snapshot)
{
	size_t devices = count_devices(snapshot);

	if (check_status(report) == CHECK_FINE)
		buf_printf(out, "%zu device%s", devices, devices == 1 ? "" : "s");
	else
		put_problems(out, options, report);
}

static void put_limit(struct buf *out, double limit)
{
	buf_putc(out, ';');
	if (!isnan(limit))
		buf_printf(out, "%.15g", limit);
}

/* 'device 0 temperature'=45.2C;85;90 */
static void put_measure(struct buf *out, const struct measure *measure)
{
	buf_printf(out, " 'device %s %s'=%.15g%s", measure->device, measure->name, measure->value,
		   measure->unit);
	put_limit(out, measure->warning);
	put_limit(out, measure->critical);
}

void status_line_render(struct buf *out, const struct render_options *options,
			const struct report *report, const struct snapshot *snapshot,
			bool performance)
{
	buf_printf(out, "TT_SMI %s: ", status_words[check_status(report)]);
	put_summary(out, options, report, snapshot);
	if (snapshot && snapshot->simulated)
		buf_puts(out, " (SIMULATED)");
	if (performance && report->n_measures) {
		buf_puts(out, " |");
		for (size_t i = 0; i < report->n_measures; i++)
			put_measure(out, &report->measures[i]);
	}
	buf_putc(out, '\n');
}

/* ---- JSON ---- */

static void put_limit_json(struct json *json, const char *key, double limit)
{
	if (isnan(limit))
		json_null(json, key);
	else
		json_double(json, key, limit);
}

static void put_measure_json(struct json *json, const struct measure *measure)
{
	json_open(json, NULL, '{');
	json_text(json, "device", measure->device);
	json_text(json, "name", measure->name);
	json_text(json, "unit", measure->unit);
	json_double(json, "value", measure->value);
	put_limit_json(json, "warning", measure->warning);
	put_limit_json(json, "critical", measure->critical);
	json_close(json, '}');
}

static void put_summary_json(struct json *json, const struct render_options *options,
			     const struct report *report, const struct snapshot *snapshot)
{
	CLEANUP_BUF struct buf text = { 0 };

	put_summary(&text, options, report, snapshot);
	json_text(json, "summary", buf_text(&text));
	json->out->failed |= text.failed;
}

void status_line_render_json(struct buf *out, const struct render_options *options,
			     const struct report *report, const struct snapshot *snapshot,
			     bool pretty)
{
	enum check_exit status = check_status(report);
	struct json json = {
		.out = out, .indent = pretty ? 2 : 0, .ascii = !options->utf8, .first = true
	};

	json_open(&json, NULL, '{');
	json_text(&json, "schema", "tt-smi-check");
	json_u64(&json, "schema_version", 1);
	json_bool(&json, "simulated", snapshot && snapshot->simulated);
	json_text(&json, "status", status_words[status]);
	json_u64(&json, "code", status);
	json_u64(&json, "devices", count_devices(snapshot));
	put_summary_json(&json, options, report, snapshot);
	json_open(&json, "findings", '[');
	for (size_t i = 0; i < report->count; i++)
		finding_put_json(&json, &report->findings[i]);
	json_close(&json, ']');
	json_open(&json, "performance", '[');
	for (size_t i = 0; i < report->n_measures; i++)
		put_measure_json(&json, &report->measures[i]);
	json_close(&json, ']');
	json_close(&json, '}');
	buf_putc(out, '\n');
}
