/* Options that several commands share: values and parsing. */
#pragma once

#include "basic/option.h"
#include "cli/look.h"
#include "model/select.h"
#include "source/sampler.h"

#include <stdbool.h>

enum { MAX_SETTINGS = 16 };

struct common_options {
	const char *root; /* NULL: the machine that we run on */
	struct selection selection;
	enum color color;
	bool ascii;
	unsigned refresh_ms; /* 0: not given */
	unsigned count;	     /* number of samples; 0: no limit */
	/* Full screen: */
	bool plain; /* do not use it */
	bool read_only;
	int view, theme;		    /* enum view, enum theme; -1: from the settings */
	const char *settings[MAX_SETTINGS]; /* "name=value" */
	unsigned n_settings;
};

/* Defaults from the environment. */
struct common_options common_options_default(void);
void common_options_done(struct common_options *common);

/* option_parse() without operands; prints an error. Returns an exit code. */
MUST_CHECK int options_read(const struct option_table *table, int argc, char **argv, void *values);

extern const char *const color_names[COLOR_N];

/* ---- rows that several commands have; the argument is the offset of the member ---- */

#define OPTION_COLOR(offset)                                                                  \
	{                                                                                     \
		"--color", ARGUMENT, NULL, "colours (default auto, which respects NO_COLOR)", \
			option_word, offset, OPTION_VALUES(color_names)                       \
	}
#define OPTION_DEVICES(offset)                                                                  \
	{                                                                                       \
		"-i --id", ARGUMENT, "DEVICE,...",                                              \
			"only these devices, named as for tt_smi -i (default all); repeatable", \
			option_selection, offset                                                \
	}
#define OPTION_ASCII(offset)                                                                       \
	{                                                                                          \
		"--ascii", NO_ARGUMENT, NULL,                                                      \
			"ASCII characters only (default if the locale is not UTF-8)", option_flag, \
			offset                                                                     \
	}

/* For the help of option_refresh(). */
#define REFRESH_RANGE               \
	STRINGIFY(REFRESH_MS_LEAST) \
	" to " STRINGIFY(REFRESH_MS_MOST) " (default " STRINGIFY(REFRESH_MS_DEFAULT) ")"

/* Setters, by the type of the member. */
int option_count(const struct option_given *given, void *member);     /* unsigned, from 1 */
int option_seconds(const struct option_given *given, void *member);   /* unsigned, milliseconds */
int option_refresh(const struct option_given *given, void *member);   /* unsigned, milliseconds */
int option_selection(const struct option_given *given, void *member); /* struct selection */
int option_json(const struct option_given *given, void *member);      /* enum json */

/* Format of JSON output, if requested. */
enum json { JSON_NO, JSON_AUTO, JSON_COMPACT, JSON_PRETTY, JSON_N };
extern const char *const json_names[JSON_N - JSON_COMPACT];

/* JSON_AUTO: pretty for a single document on a terminal. */
bool json_is_pretty(enum json json, bool single);
