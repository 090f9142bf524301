#include "cli/doctor.h"

#include "basic/exit_code.h"
#include "cli/output.h"
#include "cli/pane.h"
#include "cli/error_line.h"
#include "cli/session.h"
#include "cli/common_options.h"
#include "cli/examination.h"
#include "doctor/explain.h"

#include <string.h>

struct doctor_options {
	struct common_options common;
	bool help;
	enum json json;
	unsigned only;
};

#define AT(member) offsetof(struct doctor_options, member)

static const struct option_spec rows[] = {
	/* clang-format off */
	OPTION_DEVICES(AT(common.selection)),
	{ "--only", ARGUMENT, "AREAS",
		"only these areas, separated by commas", option_areas, AT(only) },
	{ "--json", INLINE_OR_NOTHING, NULL,
		"the findings as a JSON document", option_json, AT(json),
		OPTION_VALUES(json_names) },
	OPTION_ROOT(AT(common.root)),
	OPTION_COLOR(AT(common.color)),
	OPTION_ASCII(AT(common.ascii)),
	OPTION_HELP(AT(help)),
	/* clang-format on */
};

static const struct option_table table = { rows, ARRAY_SIZE(rows), "tt_smi doctor" };

static void put_help(struct buf *out)
{
	buf_puts(out,
		 "Usage: tt_smi doctor [OPTION]...\n"
		 "Examines the machine: driver, devices and firmware, PCIe, permissions, huge\n"
		 "pages, kernel log, allocation server and tracing; and for each process that has\n"
		 "a device open, where its figures come from, or why its memory is unknown. Each\n"
		 "finding is ok, note, warn or fail, and problems come with a fix. Opens no\n"
		 "device, writes nothing.\n\n");
	option_put_help(out, &table);
	areas_put_help(out);
	buf_puts(out, "\nOnly root can examine the processes of other users: sudo tt_smi doctor\n"
		      "\nExit status: 0 no problem; 1 warnings; 5 failures; others as tt_smi.\n");
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
		explain_render_json(out, &look, report, simulated,
				    json_is_pretty(options->json, true));
	else
		explain_render(out, &look, report, buf_text(&heading));
}

static int exit_code_of(const struct report *report)
{
	switch (report_worst(report)) {
	case LEVEL_FAIL: return EXIT_DEFECT;
	case LEVEL_WARN: return EXIT_WARNINGS;
	case LEVEL_NOTE:
	case LEVEL_OK: break;
	}
	return EXIT_FINE;
}

static int print(const struct doctor_options *options, const struct session *session,
		 const struct report *report)
{
	CLEANUP_BUF struct buf text = { 0 };
	int code;

	render(&text, options, session, report);
	if (text.failed)
		return error_line(EXIT_INTERNAL, "out of memory");
	code = output_print(&text);
	return code ? code : exit_code_of(report);
}

static int run(const struct doctor_options *options)
{
	const struct examination examination = {
		.root = options->common.root,
		.selection = &options->common.selection,
		.only = options->only,
		.areas = AREAS_ALL,
		.alarms = alarms_default(),
	};
	struct report report = { 0 };
	struct session session;
	int code;

	code = examination_run(&examination, &session, &report);
	if (code)
		error_line(code, "%s", buf_text(&session.problem));
	else
		code = print(options, &session, &report);
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
	if (!code && options.help) {
		put_help(&text);
		code = output_print(&text);
	} else if (!code) {
		code = run(&options);
	}
	common_options_done(&options.common);
	return code;
}
