#include "cli/run.h"

#include "basic/sibling_program.h"
#include "basic/option.h"
#include "cli/output.h"
#include "cli/run_program.h"
#include "cli/error_line.h"
#include "proto/preload.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

struct run {
	bool no_children, quiet, help;
	char **command;
};

#define AT(member) offsetof(struct run, member)

static const struct option_spec rows[] = {
	/* clang-format off */
	{ "--no-children", NO_ARGUMENT, NULL,
		"count this process only, not those that it starts", option_flag, AT(no_children) },
	{ "-q --quiet", NO_ARGUMENT, NULL,
		"no warning on standard error about what cannot be counted", option_flag, AT(quiet) },
	{ "-h --help", NO_ARGUMENT, NULL, "this help", option_flag, AT(help) },
	/* clang-format on */
};

static const struct option_table table = { rows, ARRAY_SIZE(rows), "tt_smi run", OPERANDS_COMMAND };

static int parse(struct run *run, int argc, char **argv)
{
	CLEANUP_BUF struct buf error = { 0 };
	struct option_words words;
	int code;

	code = option_parse(&table, argc, argv, run, &words, &error);
	if (code)
		return error_line(code, "%s", buf_text(&error));
	if (run->help)
		return 0;
	if (!words.command || !words.command[0])
		return error_line(EXIT_USAGE, "run wants a command; tt_smi run -h has examples");
	run->command = words.command;
	return 0;
}

static int help(void)
{
	CLEANUP_BUF struct buf text = { 0 };

	buf_puts(&text,
		 "Usage: tt_smi run [OPTION]... [--] COMMAND [ARGUMENT]...\n"
		 "Runs a program that uses TT-Metal and counts the device memory it allocates.\n"
		 "The program need not be changed; tt_smi and tt_smi mem then show what it "
		 "has.\n\n");
	option_put_help(&text, &table);
	buf_puts(&text, "\nA library, " PRELOAD_NAME ", is loaded before the program's own\n"
			"(LD_PRELOAD). Processes that it starts are counted too, each for itself.\n"
			"Programs that do not use TT-Metal run unchanged.\n"
			"\nExamples:\n"
			"  tt_smi run python3 serve.py\n"
			"  tt_smi run --no-children -- ./train --steps 100\n"
			"\nExit status: that of the command; 2 usage; 126 it cannot be executed;\n"
			"127 there is no such command; 255 the library is missing.\n");
	return output_print(&text);
}

/* The list without other copies of our library, which would count the same buffers again. */
static void list_put(struct buf *out, const char *list)
{
	while (*list) {
		size_t length = strcspn(list, ": ");
		const char *name = memrchr(list, '/', length);

		name = name ? name + 1 : list;
		if (length && ((size_t)(list + length - name) != strlen(PRELOAD_NAME) ||
			       strncmp(name, PRELOAD_NAME, strlen(PRELOAD_NAME)) != 0))
			buf_printf(out, ":%.*s", (int)length, list);
		list += length + (list[length] != '\0');
	}
}

/* Puts the library before all others. */
static int preload(void)
{
	const char *others = getenv(PRELOAD_LIST);
	CLEANUP_BUF struct buf list = { 0 };
	char path[PATH_MAX];

	if (sibling_program_find(PRELOAD_NAME, path, sizeof(path)) < 0)
		return error_line(EXIT_INTERNAL,
				  PRELOAD_NAME " is neither beside tt_smi nor installed");
	if (strpbrk(path, ": "))
		return error_line(EXIT_INTERNAL,
				  "%s: the loader takes no blanks and colons in names", path);
	buf_puts(&list, path);
	list_put(&list, others ? others : "");
	if (list.failed || setenv(PRELOAD_LIST, buf_text(&list), 1) < 0)
		return error_line(EXIT_INTERNAL, "out of memory");
	return 0;
}

/* AddressSanitizer refuses to run if any library is loaded before its own, unless told so. */
static int appease_asan(void)
{
	const char *options = getenv("ASAN_OPTIONS");
	CLEANUP_BUF struct buf text = { 0 };

	if (options && *options)
		buf_printf(&text, "%s:", options);
	buf_puts(&text, "verify_asan_link_order=0");
	if (text.failed || setenv("ASAN_OPTIONS", buf_text(&text), 1) < 0)
		return error_line(EXIT_INTERNAL, "out of memory");
	return 0;
}

static int prepare(const struct run *run)
{
	char pid[16];
	int code;

	snprintf(pid, sizeof(pid), "%d", getpid());
	if (run->no_children ? setenv(PRELOAD_ONLY, pid, 1) : unsetenv(PRELOAD_ONLY))
		return error_line(EXIT_INTERNAL, "out of memory");
	if (run->quiet && setenv(PRELOAD_QUIET, "1", 1) < 0)
		return error_line(EXIT_INTERNAL, "out of memory");
	code = preload();
	return code ? code : appease_asan();
}

static int execute(char **command)
{
	execvp(command[0], command);
	if (errno == ENOENT || errno == ENOTDIR)
		return error_line(EXIT_NO_COMMAND, "%s: %s", command[0], strerror(errno));
	return error_line(EXIT_NOT_EXECUTABLE, "%s: %s", command[0], strerror(errno));
}

/* Warns about what is known beforehand to prevent counting. */
static void warn(const char *command)
{
	const char *enabled = getenv("TT_ALLOC_TRACKING_ENABLED"), *obstacle;
	char path[PATH_MAX];

	if (enabled && strcmp(enabled, "0") == 0) {
		error_line(0,
			   "TT_ALLOC_TRACKING_ENABLED is 0: %s runs, but its memory is not counted",
			   command);
		return;
	}
	if (program_find(command, path, sizeof(path)) < 0)
		return;
	obstacle = program_obstacle(path);
	if (obstacle)
		error_line(0, "%s %s: it runs, but its memory is not counted", path, obstacle);
}

int run_main(int argc, char **argv)
{
	struct run run = { 0 };
	int code;

	code = parse(&run, argc, argv);
	if (code)
		return code;
	if (run.help)
		return help();
	if (!run.quiet)
		warn(run.command[0]);
	code = prepare(&run);
	return code ? code : execute(run.command);
}
