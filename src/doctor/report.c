#include "doctor/report.h"

#include "basic/text.h"
#include "render/json_writer.h"
#include "render/style.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const level_words[] = {
	[LEVEL_OK] = "ok",
	[LEVEL_NOTE] = "note",
	[LEVEL_WARN] = "warn",
	[LEVEL_FAIL] = "fail",
};

PRINTF(1, 0) static char *format_text(const char *format, va_list ap)
{
	char *text;

	return vasprintf(&text, format, ap) < 0 ? NULL : text;
}

/* Takes the texts over; text is NULL if there was no memory for it. */
static void add(struct report *report, const struct finding *finding)
{
	struct finding *grown;

	grown = reallocarray(report->findings, report->count + 1, sizeof(*grown));
	if (grown)
		report->findings = grown;
	if (!grown || !finding->text) {
		free(finding->subject);
		free(finding->text);
		report->failed = true;
		return;
	}
	report->findings[report->count] = *finding;
	report->findings[report->count++].section = report->section;
}

void report_add(struct report *report, enum level level, const char *format, ...)
{
	struct finding finding = { .level = level };
	va_list ap;

	va_start(ap, format);
	finding.text = format_text(format, ap);
	va_end(ap);
	add(report, &finding);
}

void report_add_about(struct report *report, enum level level, int32_t pid, const char *subject,
		      const char *format, ...)
{
	struct finding finding = { .level = level, .pid = pid, .subject = strdup(subject) };
	va_list ap;

	va_start(ap, format);
	finding.text = finding.subject ? format_text(format, ap) : NULL;
	va_end(ap);
	add(report, &finding);
}

void report_fix(struct report *report, const char *format, ...)
{
	struct finding *last = report->count ? &report->findings[report->count - 1] : NULL;
	char **grown;
	va_list ap;

	if (!last)
		return;
	grown = reallocarray(last->fixes, last->n_fixes + 1, sizeof(*grown));
	if (!grown) {
		report->failed = true;
		return;
	}
	last->fixes = grown;
	va_start(ap, format);
	last->fixes[last->n_fixes] = format_text(format, ap);
	va_end(ap);
	if (last->fixes[last->n_fixes])
		last->n_fixes++;
	else
		report->failed = true;
}

bool report_is_healthy(const struct report *report)
{
	for (size_t i = 0; i < report->count; i++)
		if (report->findings[i].level >= LEVEL_WARN)
			return false;
	return true;
}

/* The word says it, the colour only repeats it. */
static void put_level(struct buf *out, const struct render_options *options, enum level level)
{
	static const enum style styles[] = {
		[LEVEL_OK] = STYLE_GOOD,
		[LEVEL_NOTE] = STYLE_PLAIN,
		[LEVEL_WARN] = STYLE_WARN,
		[LEVEL_FAIL] = STYLE_BAD,
	};
	char word[8];

	snprintf(word, sizeof(word), "%-4s", level_words[level]);
	buf_puts(out, "  ");
	style_put(out, options, styles[level], word);
	buf_puts(out, "  ");
}

static void put_clean(struct buf *out, const struct render_options *options, const char *text)
{
	text_clean(out, text, strlen(text), options->utf8);
}

static void put_line(struct buf *out, const struct render_options *options, const char *text)
{
	put_clean(out, options, text);
	buf_putc(out, '\n');
}

/* Do they differ in their subject only? What is well keeps a line of its own. */
static bool is_alike(const struct finding *one, const struct finding *other)
{
	if (one->level == LEVEL_OK || !one->subject || !other->subject ||
	    strcmp(one->section, other->section) != 0 || one->level != other->level ||
	    one->n_fixes != other->n_fixes || strcmp(one->text, other->text) != 0)
		return false;
	for (size_t i = 0; i < one->n_fixes; i++)
		if (strcmp(one->fixes[i], other->fixes[i]) != 0)
			return false;
	return true;
}

static bool is_repetition(const struct report *report, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (is_alike(&report->findings[i], &report->findings[at]))
			return true;
	return false;
}

/* Those after it that are like it. */
static size_t count_repetitions(const struct report *report, size_t at)
{
	size_t count = 0;

	for (size_t i = at + 1; i < report->count; i++)
		count += is_alike(&report->findings[at], &report->findings[i]);
	return count;
}

static void put_subjects(struct buf *out, const struct render_options *options,
			 const struct report *report, size_t at)
{
	for (size_t i = at; i < report->count; i++) {
		const struct finding *finding = &report->findings[i];

		if (i != at && !is_alike(&report->findings[at], finding))
			continue;
		buf_puts(out, "          ");
		put_line(out, options, finding->subject);
	}
}

/* A finding and those like it: one line, or the common text and a line for each. */
static void put_group(struct buf *out, const struct render_options *options,
		      const struct report *report, size_t at)
{
	const struct finding *finding = &report->findings[at];
	bool alone = count_repetitions(report, at) == 0;

	put_level(out, options, finding->level);
	if (finding->subject && alone) {
		put_clean(out, options, finding->subject);
		buf_puts(out, ": ");
	}
	put_line(out, options, finding->text);
	if (!alone)
		put_subjects(out, options, report, at);
	for (size_t i = 0; i < finding->n_fixes; i++) {
		buf_puts(out, "        fix: ");
		put_line(out, options, finding->fixes[i]);
	}
}

void report_render(struct buf *out, const struct render_options *options,
		   const struct report *report, const char *heading)
{
	const char *section = "";

	if (heading[0])
		put_line(out, options, heading);
	for (size_t i = 0; i < report->count; i++) {
		const struct finding *finding = &report->findings[i];

		if (strcmp(section, finding->section) != 0)
			buf_printf(out, "%s%s\n", i || heading[0] ? "\n" : "", finding->section);
		section = finding->section;
		if (!is_repetition(report, i))
			put_group(out, options, report, i);
	}
}

/* "subject: text" */
static void put_text(struct json *json, const struct finding *finding)
{
	CLEANUP_BUF struct buf text = { 0 };

	if (finding->subject)
		buf_printf(&text, "%s: ", finding->subject);
	buf_puts(&text, finding->text);
	json_text(json, "text", buf_text(&text));
	json->out->failed |= text.failed;
}

static void put_finding(struct json *json, const struct finding *finding)
{
	json_open(json, NULL, '{');
	json_text(json, "section", finding->section);
	json_text(json, "level", level_words[finding->level]);
	if (finding->pid)
		json_i64(json, "pid", finding->pid);
	put_text(json, finding);
	json_open(json, "fixes", '[');
	for (size_t i = 0; i < finding->n_fixes; i++)
		json_text(json, NULL, finding->fixes[i]);
	json_close(json, ']');
	json_close(json, '}');
}

void report_render_json(struct buf *out, const struct render_options *options,
			const struct report *report, bool simulated, bool pretty)
{
	struct json json = {
		.out = out, .indent = pretty ? 2 : 0, .ascii = !options->utf8, .first = true
	};

	json_open(&json, NULL, '{');
	json_text(&json, "schema", "tt-smi-doctor");
	json_u64(&json, "schema_version", 1);
	json_bool(&json, "simulated", simulated);
	json_bool(&json, "healthy", report_is_healthy(report));
	json_open(&json, "findings", '[');
	for (size_t i = 0; i < report->count; i++)
		put_finding(&json, &report->findings[i]);
	json_close(&json, ']');
	json_close(&json, '}');
	buf_putc(out, '\n');
}

void report_done(struct report *report)
{
	for (size_t i = 0; i < report->count; i++) {
		for (size_t k = 0; k < report->findings[i].n_fixes; k++)
			free(report->findings[i].fixes[k]);
		free(report->findings[i].fixes);
		free(report->findings[i].subject);
		free(report->findings[i].text);
	}
	free(report->findings);
	*report = (struct report){ 0 };
}
