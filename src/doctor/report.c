#include "doctor/report.h"

#include "basic/macros.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PRINTF(1, 0) static char *format_text(const char *format, va_list ap)
{
	char *text;

	return vasprintf(&text, format, ap) < 0 ? NULL : text;
}

static bool is_wanted(const struct report *report, const struct finding *finding)
{
	if (report_covers(report, report->area))
		return true;
	return finding->level == LEVEL_FAIL &&
	       (report->area == AREA_DRIVER || report->area == AREA_DEVICES);
}

/* Takes ownership of the texts; text is NULL if memory was short. */
static void add(struct report *report, const struct finding *finding)
{
	struct finding *grown = NULL, *last;

	report->dropped = !is_wanted(report, finding);
	if (!report->dropped) {
		grown = reallocarray(report->findings, report->count + 1, sizeof(*grown));
		report->failed |= !grown || !finding->text;
	}
	if (grown)
		report->findings = grown;
	if (!grown || !finding->text) {
		free(finding->subject);
		free(finding->text);
		return;
	}
	last = &report->findings[report->count++];
	*last = *finding;
	last->area = report->area;
	if (report->device)
		snprintf(last->device, sizeof(last->device), "%s", report->device);
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

void report_add_unexamined(struct report *report, const char *format, ...)
{
	struct finding finding = { .level = LEVEL_NOTE, .unexamined = true };
	va_list ap;

	va_start(ap, format);
	finding.text = format_text(format, ap);
	va_end(ap);
	add(report, &finding);
}

void report_fix(struct report *report, const char *format, ...)
{
	struct finding *last = report->count ? &report->findings[report->count - 1] : NULL;
	char **grown;
	va_list ap;

	if (!last || report->dropped)
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

enum level report_measure(struct report *report, const struct measure *measure)
{
	struct measure *grown;

	if (!report_covers(report, report->area))
		return LEVEL_OK;
	grown = reallocarray(report->measures, report->n_measures + 1, sizeof(*grown));
	if (grown) {
		report->measures = grown;
		grown[report->n_measures] = *measure;
		if (report->device)
			snprintf(grown[report->n_measures].device,
				 sizeof(grown[report->n_measures].device), "%s", report->device);
		report->n_measures++;
	}
	report->failed |= !grown;
	/* Comparisons with NAN are false. */
	if (measure->value >= measure->critical)
		return LEVEL_FAIL;
	return measure->value >= measure->warning ? LEVEL_WARN : LEVEL_OK;
}

enum level report_worst(const struct report *report)
{
	enum level worst = LEVEL_OK;

	for (size_t i = 0; i < report->count; i++)
		worst = MAX(worst, report->findings[i].level);
	return worst;
}

bool report_is_incomplete(const struct report *report)
{
	for (size_t i = 0; i < report->count; i++)
		if (report->findings[i].unexamined &&
		    report->requested & AREA_BIT(report->findings[i].area))
			return true;
	return false;
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
	free(report->measures);
	*report = (struct report){ 0 };
}
