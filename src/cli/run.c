#include "cli/run.h"

#include "basic/sibling_program.h"
#include "cli/common_options.h"
#include "cli/output.h"
#include "cli/reservation.h"
#include "cli/run_program.h"
#include "cli/supervisor.h"
#include "cli/error_line.h"
#include "proto/preload.h"
#include "proto/tracking.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

struct run {
	bool no_children, help;
	struct reservation_options devices; /* none are taken if its count is 0 */
	char **command;
};

#define AT(member) offsetof(struct run, member)

static const struct option_spec rows[] = {
	/* clang-format off */
	{ "--no-children", NO_ARGUMENT, NULL,
		"count this process only, not those that it starts", option_flag, AT(no_children) },
	{ "--devices", ARGUMENT, "N",
		"take N free devices, in order of arrival, and set TT_VISIBLE_DEVICES",
		option_count, AT(devices.count) },
	{ "--wait", NO_ARGUMENT, NULL,
		"wait until N are free; without it, end with status 8 if fewer are free",
		option_flag, AT(devices.wait) },
	{ "--timeout", ARGUMENT, "SECONDS",
		"wait at most this long, then end with status 7", option_timeout, AT(devices.timeout) },
	OPTIONS_DEVICE_REQUEST(AT(devices.request)),
	OPTION_ROOT(AT(devices.request.root)),
	{ "-q --quiet", NO_ARGUMENT, NULL,
		"no messages about uncounted memory, waiting, and devices given back",
		option_flag, AT(devices.quiet) },
	OPTION_HELP(AT(help)),
	/* clang-format on */
};

static const struct option_table table = { rows, ARRAY_SIZE(rows), "tt_smi run", OPERANDS_COMMAND };

/* Options that need --devices. */
static int check(const struct run *run)
{
	const struct reservation_options *devices = &run->devices;

	if (!devices->count && (devices->wait || devices->request.selection.count ||
				devices->request.memory || devices->request.board))
		return error_line(EXIT_USAGE, "--wait, -i, --memory and --board need --devices");
	if (devices->timeout.given && !devices->wait)
		return error_line(EXIT_USAGE, "--timeout needs --wait");
	return 0;
}

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
		return error_line(EXIT_USAGE, "no command to run; tt_smi run -h has examples");
	run->command = words.command;
	return check(run);
}

static int help(void)
{
	CLEANUP_BUF struct buf text = { 0 };

	buf_puts(
		&text,
		"Usage: tt_smi run [OPTION]... [--] COMMAND [ARGUMENT]...\n"
		"Runs a program that uses TT-Metal and counts the device memory it allocates.\n"
		"The program need not be changed; tt_smi and tt_smi mem then show its memory.\n\n");
	option_put_help(&text, &table);
	buf_puts(&text,
		 "\nLD_PRELOAD loads " PRELOAD_NAME " before the libraries of the\n"
		 "program. Processes that the program starts are counted too, each by itself.\n"
		 "Programs that do not use TT-Metal run unchanged.\n"
		 "\nWith --devices it takes devices that no job has open and no other run has\n"
		 "taken, and gives them back when the command ends. A device that no process\n"
		 "has had open for a minute is given back early.\n"
		 "\nExamples:\n"
		 "  tt_smi run python3 serve.py\n"
		 "  tt_smi run --no-children -- ./train --steps 100\n"
		 "  tt_smi run --devices 2 --wait -- python3 train.py\n"
		 "\nExit status: that of the command; 2 usage; 7 timed out; 8 too few devices\n"
		 "are free; 126 it cannot be executed; 127 there is no such command; 255 the\n"
		 "library is missing; others as tt_smi.\n");
	return output_print(&text);
}

/*
 * Appends the list without other copies of our library, which would count the same buffers again.
 */
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

/* Puts the library before all others in LD_PRELOAD. */
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
				  "%s: LD_PRELOAD cannot contain a path with a blank or a colon",
				  path);
	buf_puts(&list, path);
	list_put(&list, others ? others : "");
	if (list.failed || setenv(PRELOAD_LIST, buf_text(&list), 1) < 0)
		return error_line(EXIT_INTERNAL, "out of memory");
	return 0;
}

/*
 * AddressSanitizer refuses to run if a library is loaded before its own, unless this option is set.
 */
static int allow_asan_preload(void)
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
	if (run->devices.quiet && setenv(PRELOAD_QUIET, "1", 1) < 0)
		return error_line(EXIT_INTERNAL, "out of memory");
	code = preload();
	return code ? code : allow_asan_preload();
}

/* Returns an exit code only if the command cannot be executed. */
static int execute(const struct run *run)
{
	char **command = run->command;
	int code = prepare(run);

	if (code)
		return code;
	execvp(command[0], command);
	if (errno == ENOENT || errno == ENOTDIR)
		return error_line(EXIT_NO_COMMAND, "%s: %s", command[0], strerror(errno));
	return error_line(EXIT_NOT_EXECUTABLE, "%s: %s", command[0], strerror(errno));
}

/* In the child process. */
static int execute_on(void *arg, const struct reservation *reservation)
{
	int r = reservation_share(reservation);

	if (r < 0)
		return error_line(EXIT_INTERNAL, "cannot claim the devices: %s", strerror(-r));
	if (setenv("TT_VISIBLE_DEVICES", buf_text(&reservation->value), 1) < 0)
		return error_line(EXIT_INTERNAL, "out of memory");
	return execute(arg);
}

static int run_on_devices(struct run *run)
{
	struct reservation reservation;
	int code = reservation_make(&reservation, &run->devices);

	if (!code)
		code = supervise(&reservation, run->devices.quiet, execute_on, run);
	reservation_done(&reservation);
	return code;
}

/* Warns about known obstacles to counting. */
static void warn(const char *command)
{
	const char *obstacle;
	char path[PATH_MAX];

	if (tracking_is_disabled()) {
		error_line(0, TRACKING_VARIABLE " is 0: %s runs, but its memory is not counted",
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
	struct run run = { .devices.request = device_request_default() };
	int code;

	code = parse(&run, argc, argv);
	if (!code && run.help) {
		code = help();
	} else if (!code) {
		if (!run.devices.quiet)
			warn(run.command[0]);
		code = run.devices.count ? run_on_devices(&run) : execute(&run);
	}
	device_request_done(&run.devices.request);
	return code;
}
