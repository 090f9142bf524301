#include "cli/common_options.h"

#include "cli/error_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct common_options common_options_default(void)
{
	const char *root = getenv("TT_SMI_ROOT");

	return (struct common_options){ .root = root && root[0] ? root : NULL };
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

int option_refresh(const struct option_given *given, void *member)
{
	return option_number(given, 100, 60000, member);
}

int option_color(const struct option_given *given, void *member)
{
	enum color *color = member;

	if (strcmp(given->value, "auto") == 0)
		*color = COLOR_AUTO;
	else if (strcmp(given->value, "always") == 0)
		*color = COLOR_ALWAYS;
	else if (strcmp(given->value, "never") == 0)
		*color = COLOR_NEVER;
	else
		return option_error(given, EXIT_USAGE,
				    "--color: \"%s\" is not auto, always or never", given->value);
	return 0;
}

int option_selection(const struct option_given *given, void *member)
{
	int r = selection_add(member, given->value);

	if (r == -EINVAL)
		return option_error(given, EXIT_USAGE, "%.*s: an empty device name in \"%s\"",
				    (int)strcspn(given->option->names, " "), given->option->names,
				    given->value);
	return r < 0 ? option_error(given, EXIT_INTERNAL, "out of memory") : 0;
}

int option_json(const struct option_given *given, void *member)
{
	enum json *json = member;
	const char *value = given->value;

	if (!value)
		*json = MAX(*json, JSON_AUTO);
	else if (strcmp(value, "compact") == 0)
		*json = JSON_COMPACT;
	else if (strcmp(value, "pretty") == 0)
		*json = JSON_PRETTY;
	else
		return option_error(given, EXIT_USAGE,
				    "--json: \"%s\" is neither compact nor pretty", value);
	return 0;
}

bool json_is_pretty(enum json json, bool single)
{
	return json == JSON_PRETTY || (json == JSON_AUTO && single && isatty(STDOUT_FILENO));
}
