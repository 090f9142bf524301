#include "cli/common_options.h"

#include "cli/error_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct common_options common_options_default(void)
{
	return (struct common_options){
		.root = option_root_default(),
		.view = -1,
		.theme = -1,
	};
}

void common_options_done(struct common_options *common)
{
	selection_done(&common->selection);
}

int options_read(const struct option_table *table, int argc, char **argv, void *values)
{
	CLEANUP_BUF struct buf error = { 0 };
	int code = option_parse(table, argc, argv, values, NULL, &error);

	return code ? error_line(code, "%s", buf_text(&error)) : 0;
}

int option_count(const struct option_given *given, void *member)
{
	return option_number(given, 1, UINT32_MAX, member);
}

/* A fraction is allowed: 0.5 */
int option_seconds(const struct option_given *given, void *member)
{
	unsigned *period_ms = member;
	char *end;
	double seconds = strtod(given->value, &end);

	if (!option_is_number(given->value) || *end || seconds < 0.01 || seconds > 86400)
		return option_error(given, EXIT_USAGE,
				    "%s: \"%s\" is not a number of seconds from 0.01 to 86400",
				    given->word, given->value);
	*period_ms = (unsigned)(seconds * 1000 + 0.5);
	return 0;
}

int option_refresh(const struct option_given *given, void *member)
{
	if (option_number(given, REFRESH_MS_LEAST, REFRESH_MS_MOST, member) == 0)
		return 0;
	/* The vendor's tool resets these devices. */
	return option_error(given, EXIT_USAGE,
			    "; it is the period of -w in milliseconds; this program never resets a "
			    "board, the vendor's tt-smi -r does");
}

const char *const color_names[COLOR_N] = { "auto", "always", "never" };

int option_selection(const struct option_given *given, void *member)
{
	int r = selection_add(member, given->value);

	if (r == -EINVAL)
		return option_error(given, EXIT_USAGE, "%.*s: an empty device name in \"%s\"",
				    (int)strcspn(given->option->names, " "), given->option->names,
				    given->value);
	return r < 0 ? option_error(given, EXIT_INTERNAL, "out of memory") : 0;
}

const char *const json_names[JSON_N - JSON_COMPACT] = { "compact", "pretty" };

int option_json(const struct option_given *given, void *member)
{
	enum json *json = member;
	int name, code;

	if (!given->value) {
		*json = MAX(*json, JSON_AUTO);
		return 0;
	}
	code = option_word(given, &name);
	if (!code)
		*json = JSON_COMPACT + (enum json)name;
	return code;
}

bool json_is_pretty(enum json json, bool single)
{
	return json == JSON_PRETTY || (json == JSON_AUTO && single && isatty(STDOUT_FILENO));
}
