#include "cli/check.h"

#include "cli/common_options.h"
#include "cli/examination.h"
#include "cli/output.h"
#include "doctor/status_line.h"

struct check_options {
	struct common_options common;
	struct alarms alarms;
	unsigned expected;
	unsigned only;
	bool idle;
	bool performance;
	bool help;
	enum json json;
};

#define AT(member) offsetof(struct check_options, member)

static int option_alarm(const struct option_given *given, void *member)
{
	if (alarms_set(member, given->value))
		return 0;
	return option_error(
		given, EXIT_USAGE,
		"%s: \"%s\" is not NAME=NUMBER or NAME=none; tt_smi check -h lists the names",
		given->option->names, given->value);
}

static const struct option_spec rows[] = {
	/* clang-format off */
	{ "-i --id", ARGUMENT, "DEVICES",
		"only these devices; each must exist", option_selection, AT(common.selection) },
	{ "--expect", ARGUMENT, "COUNT",
		"number of devices that the driver must serve", option_count, AT(expected) },
	{ "--idle", NO_ARGUMENT, NULL,
		"critical if a job has a device open; monitors may", option_flag, AT(idle) },
	{ "--only", ARGUMENT, "AREAS",
		"only these areas, separated by commas", option_areas, AT(only) },
	{ "--warning", ARGUMENT, "NAME=NUMBER",
		"limit for a warning, or none; repeatable", option_alarm, AT(alarms.warning) },
	{ "--critical", ARGUMENT, "NAME=NUMBER",
		"limit for critical, or none; repeatable", option_alarm, AT(alarms.critical) },
	{ "--perfdata", NO_ARGUMENT, NULL,
		"performance data after the text", option_flag, AT(performance) },
	{ "--json", INLINE_OR_NOTHING, NULL,
		"a JSON document instead of the line", option_json, AT(json),
		OPTION_VALUES(json_names) },
	OPTION_ROOT(AT(common.root)),
	OPTION_ASCII(AT(common.ascii)),
	OPTION_HELP(AT(help)),
	/* clang-format on */
};

static const struct option_table table = { rows, ARRAY_SIZE(rows), "tt_smi check" };

static void put_help(struct buf *out)
{
	buf_puts(out, "Usage: tt_smi check [OPTION]...\n"
		      "Is the machine fit for work? One line and an exit code, for Slurm prologs,\n"
		      "Kubernetes probes and monitoring systems. tt_smi doctor explains the same\n"
		      "findings. Opens no device, writes nothing.\n\n");
	option_put_help(out, &table);
	areas_put_help(out);
	buf_puts(out,
		 "The default of --only is the health areas.\n\nLimits, and their defaults:\n");
	alarms_put_help(out);
	buf_puts(out,
		 "\nExit status, as for plugins of Nagios: 0 ok; 1 warning; 2 critical, such as\n"
		 "no driver or a lost device; 3 unknown, such as wrong usage.\n");
}

/* Every error is "unknown" to a monitoring system, which shows the first line of the output. */
static int fail(const char *problem)
{
	CLEANUP_BUF struct buf line = { 0 };

	buf_printf(&line, "TT_SMI UNKNOWN: %s\n", problem);
	(void)!output_print(&line); /* prints on standard error why it cannot be written */
	return CHECK_UNKNOWN;
}

static int print(const struct check_options *options, const struct session *session,
		 const struct report *report)
{
	struct render_options look = look_decide(COLOR_NEVER, options->common.ascii, true);
	CLEANUP_BUF struct buf text = { 0 };

	if (options->json)
		status_line_render_json(&text, &look, report, session->snapshot,
					json_is_pretty(options->json, true));
	else
		status_line_render(&text, &look, report, session->snapshot, options->performance);
	if (text.failed)
		return fail("out of memory");
	return output_print(&text) ? (int)CHECK_UNKNOWN : (int)check_status(report);
}

static int run(const struct check_options *options)
{
	const struct examination examination = {
		.root = options->common.root,
		.selection = &options->common.selection,
		.only = options->only,
		.areas = AREAS_HEALTH,
		.idle = options->idle,
		.expected = options->expected,
		.alarms = options->alarms,
	};
	struct report report = { 0 };
	struct session session;
	int code;

	code = examination_run(&examination, &session, &report);
	if (code)
		code = fail(buf_text(&session.problem));
	else
		code = print(options, &session, &report);
	report_done(&report);
	session_close(&session);
	return code;
}

int check_main(int argc, char **argv)
{
	struct check_options options = { .common = common_options_default(),
					 .alarms = alarms_default() };
	CLEANUP_BUF struct buf text = { 0 };
	int code;

	if (options_read(&table, argc, argv, &options)) {
		code = CHECK_UNKNOWN;
	} else if (options.help) {
		put_help(&text);
		code = output_print(&text) ? CHECK_UNKNOWN : CHECK_FINE;
	} else {
		code = run(&options);
	}
	common_options_done(&options.common);
	return code;
}
