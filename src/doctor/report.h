/*
 * The findings of tt_smi doctor: severity, subject, text and fixes.
 */
#pragma once

#include "basic/buf.h"
#include "render/render_options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum level {
	LEVEL_OK,
	LEVEL_NOTE, /* no problem: a fact, or something that could not be examined */
	LEVEL_WARN, /* something is unknown, or may fail later */
	LEVEL_FAIL, /* something does not work */
};

struct finding {
	const char *section;
	enum level level;
	int32_t pid;   /* 0: not about a process */
	char *subject; /* what it is about, "1001 python3 of root, device 0"; NULL: the text says it
			*/
	char *text;
	char **fixes;
	size_t n_fixes;
};

struct report {
	const char *section; /* of what is added next */
	struct finding *findings;
	size_t count;
	bool failed; /* out of memory: something is missing */
};

void report_add(struct report *report, enum level level, const char *format, ...) PRINTF(3, 4);

/* The same about a process or, if pid is 0, about another subject. */
void report_add_about(struct report *report, enum level level, int32_t pid, const char *subject,
		      const char *format, ...) PRINTF(5, 6);

/* A fix for the last finding: a command, or a sentence. */
void report_fix(struct report *report, const char *format, ...) PRINTF(2, 3);

/* No finding of LEVEL_WARN or above? */
bool report_is_healthy(const struct report *report);

/*
 * For people; heading is the first line, if not empty. Findings of one section that differ in
 * their subject only, other than LEVEL_OK, are written once, with the subjects below.
 */
void report_render(struct buf *out, const struct render_options *options,
		   const struct report *report, const char *heading);
void report_render_json(struct buf *out, const struct render_options *options,
			const struct report *report, bool simulated, bool pretty);

void report_done(struct report *report);
