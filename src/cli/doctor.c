#include "cli/doctor.h"

#include "basic/clock.h"
#include "basic/exit_code.h"
#include "cli/output.h"
#include "cli/pane.h"
#include "cli/error_line.h"
#include "cli/session.h"
#include "cli/common_options.h"
#include "doctor/doctor.h"
#include "version.h"

#include <string.h>

struct doctor_options {
	struct common_options common;
	bool help;
	enum json json;
};

#define AT(member) offsetof(struct doctor_options, member)

static const struct option_spec rows[] = {
	/* clang-format off */
	{ "--json", INLINE_OR_NOTHING, "compact|pretty",
		"the findings as a JSON document", option_json, AT(json) },
	{ "--root", ARGUMENT, "DIR",
		"look for /sys, /proc, /dev and /run below DIR (also TT_SMI_ROOT)",
		option_root, AT(common.root) },
	{ "--color", ARGUMENT, "auto|always|never",
		"colours (default auto, which respects NO_COLOR)", option_color, AT(common.color) },
	{ "--ascii", NO_ARGUMENT, NULL,
		"no characters beyond ASCII (default where the locale is not UTF-8)",
		option_flag, AT(common.ascii) },
	{ "-h --help", NO_ARGUMENT, NULL, "this help", option_flag, AT(help) },
	/* clang-format on */
};

static const struct option_table table = { rows, ARRAY_SIZE(rows), "tt_smi doctor" };

static void put_help(struct buf *out)
{
	buf_puts(out,
		 "Usage: tt_smi doctor [OPTION]...\n"
		 "Looks the machine over: driver, devices and firmware, permissions, huge pages,\n"
		 "allocation server and tracing; and for each process that has a device open, why\n"
		 "its memory is or is not known. Each finding is ok, note, warn or fail, and says\n"
		 "how to fix it. Opens no device, writes nothing.\n\n");
	option_put_help(out, &table);
	buf_puts(out, "\nOther users' processes are only seen through by root: sudo tt_smi doctor\n"
		      "\nExit status: 0 healthy; 1 problems found (a warn or a fail); else as\n"
		      "tt_smi.\n");
}

static void render(struct buf *out, const struct doctor_options *options,
		   const struct session *session, const struct report *report)
{
	struct render_options look =
		look_decide(options->common.color, options->common.ascii, true);
	bool simulated = session->snapshot && session->snapshot->simulated;
	CLEANUP_BUF struct buf heading = { 0 };

	if (simulated)
		buf_printf(&heading, "SIMULATED machine at %s", session->root.path);
	else if (session->snapshot && session->snapshot->recorded)
		buf_printf(&heading, "RECORDED machine at %s", session->root.path);
	if (options->json)
		report_render_json(out, &look, report, simulated,
				   json_is_pretty(options->json, true));
	else
		report_render(out, &look, report, buf_text(&heading));
}

/* Two samples, as far apart as it takes to see a heartbeat move. A recording has only one. */
static int take_pair(struct session *session)
{
	unsigned pair_ms = device_fields.fields[DEV_ALIVE].pair_ms;
	int code = session_take(session);

	if (code || session->snapshot->recorded)
		return code;
	sleep_until(clock_now(CLOCK_MONOTONIC) + pair_ms * NS_PER_MS);
	return session_take(session);
}

/* A machine without driver or devices is a finding, not a failure of this program. */
static int examine(const struct doctor_options *options, struct session *session,
		   struct report *report)
{
	int code = take_pair(session);
	bool loaded = code ? code != EXIT_NO_DRIVER : session_judge(session) != EXIT_NO_DRIVER;
	struct doctor_context context = {
		.root = &session->root,
		.snapshot = code ? NULL : session->snapshot,
		.problem = buf_text(&session->problem),
		.driver_loaded = loaded,
		.trace_built = TT_HAS_TRACE,
	};
	CLEANUP_BUF struct buf text = { 0 };

	if (code == EXIT_INTERNAL)
		return error_line(code, "%s", context.problem);
	doctor_examine(&context, report);
	render(&text, options, session, report);
	if (report->failed || text.failed)
		return error_line(EXIT_INTERNAL, "out of memory");
	code = output_print(&text);
	if (code)
		return code;
	return report_is_healthy(report) ? EXIT_FINE : EXIT_PROBLEMS;
}

static int run(const struct doctor_options *options)
{
	struct report report = { 0 };
	struct session session;
	struct want want = { 0 };
	int code;

	want_add_everything(&want);
	code = session_open(&session, options->common.root, &options->common.selection, &want);
	if (code)
		error_line(code, "%s", buf_text(&session.problem));
	else
		code = examine(options, &session, &report);
	report_done(&report);
	session_close(&session);
	return code;
}

int doctor_main(int argc, char **argv)
{
	struct doctor_options options = { .common = common_options_default() };
	CLEANUP_BUF struct buf text = { 0 };
	int code;

	code = options_read(&table, argc, argv, &options);
	if (code)
		return code;
	if (!options.help)
		return run(&options);
	put_help(&text);
	return output_print(&text);
}
