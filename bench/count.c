#include "count.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* "  5.2  0.000106  2  41  3 openat": the fourth number, and the last word. */
static void add_line(const char *line, struct calls *sum)
{
	unsigned long calls;
	char name[64];
	const char *last = strrchr(line, ' ');

	if (!last || sscanf(line, "%*f %*f %*f %lu", &calls) != 1 ||
	    sscanf(last, " %63s", name) != 1 || strcmp(name, "total") == 0)
		return;
	sum->all += calls;
	if (strcmp(name, "nanosleep") == 0 || strcmp(name, "clock_nanosleep") == 0)
		sum->sleeps += calls;
}

int count_calls(const struct command *command, const char *directory,
		const struct terminal *terminal, struct calls *ret)
{
	struct command traced = { { "strace", "-f", "-qq", "-c", "-o" } };
	struct figures figures;
	char report[300], line[256];
	size_t bytes;
	FILE *file;
	int r;

	snprintf(report, sizeof(report), "%s/strace", directory);
	command_add(&traced, report);
	for (size_t i = 0; command->argv[i]; i++)
		command_add(&traced, command->argv[i]);
	r = terminal ? measure_terminal(&traced, terminal, &figures, &bytes)
		     : measure_once(&traced, -1, &figures);
	if (r < 0)
		return r;
	file = fopen(report, "re");
	if (!file)
		return -errno;
	*ret = (struct calls){ 0 };
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		add_line(line, ret);
	}
	fclose(file);
	remove(report);
	return ret->all ? 0 : -EBADMSG;
}

bool count_is_possible(const char *directory, char why[static 128])
{
	struct command nothing = { { "true" } };
	struct calls calls;
	int r;

	r = count_calls(&nothing, directory, NULL, &calls);
	if (r < 0)
		snprintf(why, 128, "system calls are not counted: strace does not work here (%s)",
			 strerror(-r));
	return r >= 0;
}
