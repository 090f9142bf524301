#include "doctor/explain.h"

#include "basic/text.h"
#include "doctor/finding_json.h"
#include "render/style.h"

#include <stdio.h>
#include <string.h>

/* The word carries the information, the colour only repeats it. */
static void put_level(struct buf *out, const struct render_options *options, enum level level)
{
	static const enum style styles[] = {
		[LEVEL_OK] = STYLE_GOOD,
		[LEVEL_NOTE] = STYLE_PLAIN,
		[LEVEL_WARN] = STYLE_WARN,
		[LEVEL_FAIL] = STYLE_BAD,
	};
	char word[8];

	snprintf(word, sizeof(word), "%-4s", level_word(level));
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

/* Do they differ only in their subject? LEVEL_OK is never grouped. */
static bool is_alike(const struct finding *one, const struct finding *other)
{
	if (one->level == LEVEL_OK || !one->subject || !other->subject ||
	    strcmp(area_heading(one->area), area_heading(other->area)) != 0 ||
	    one->level != other->level || one->n_fixes != other->n_fixes ||
	    strcmp(one->text, other->text) != 0)
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

/* Number of following findings that are like it. */
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

/* Writes a finding and those like it: one line, or the common text and a line for each. */
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

void explain_render(struct buf *out, const struct render_options *options,
		    const struct report *report, const char *heading)
{
	const char *section = "";

	if (heading[0])
		put_line(out, options, heading);
	for (size_t i = 0; i < report->count; i++) {
		const struct finding *finding = &report->findings[i];

		if (strcmp(section, area_heading(finding->area)) != 0)
			buf_printf(out, "%s%s\n", i || heading[0] ? "\n" : "",
				   area_heading(finding->area));
		section = area_heading(finding->area);
		if (!is_repetition(report, i))
			put_group(out, options, report, i);
	}
}

void explain_render_json(struct buf *out, const struct render_options *options,
			 const struct report *report, bool simulated, bool pretty)
{
	struct json json = {
		.out = out, .indent = pretty ? 2 : 0, .ascii = !options->utf8, .first = true
	};

	json_open(&json, NULL, '{');
	json_text(&json, "schema", "tt-smi-doctor");
	json_u64(&json, "schema_version", 1);
	json_bool(&json, "simulated", simulated);
	json_bool(&json, "healthy", report_worst(report) < LEVEL_WARN);
	json_open(&json, "findings", '[');
	for (size_t i = 0; i < report->count; i++)
		finding_put_json(&json, &report->findings[i]);
	json_close(&json, ']');
	json_close(&json, '}');
	buf_putc(out, '\n');
}
