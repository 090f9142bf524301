#include "cli/examination.h"

#include "basic/clock.h"
#include "basic/exit_code.h"
#include "cli/pane.h"
#include "version.h"

/* Takes two samples, far enough apart to see the heartbeat change. A recording has only one. */
static int take_pair(struct session *session)
{
	unsigned pair_ms = device_fields.fields[DEV_ALIVE].pair_ms;
	int code = session_take(session);

	if (code || session->snapshot->recorded)
		return code;
	sleep_until(clock_now(CLOCK_MONOTONIC) + pair_ms * NS_PER_MS);
	return session_take(session);
}

static void examine(const struct examination *examination, struct session *session, int code,
		    struct report *report)
{
	bool loaded = code ? code != EXIT_NO_DRIVER : session_judge(session) != EXIT_NO_DRIVER;
	struct doctor_context context = {
		.root = &session->root,
		.snapshot = code ? NULL : session->snapshot,
		.problem = buf_text(&session->problem),
		.driver_loaded = loaded,
		.named = selection_names_devices(examination->selection),
		.expected = examination->expected,
		.alarms = examination->alarms,
		.trace_built = TT_HAS_TRACE,
	};

	report->requested = examination->only;
	report->areas = examination->only ? examination->only : examination->areas;
	if (examination->idle) {
		report->requested |= AREA_BIT(AREA_IDLE);
		report->areas |= AREA_BIT(AREA_IDLE);
	}
	doctor_examine(&context, report);
}

int examination_run(const struct examination *examination, struct session *session,
		    struct report *report)
{
	struct want want = { 0 };
	int code;

	want_add_everything(&want);
	code = session_open(session, examination->root, examination->selection, &want);
	if (code)
		return code;
	code = take_pair(session);
	if (code && code != EXIT_NO_DRIVER && code != EXIT_NO_DEVICE)
		return code;
	examine(examination, session, code, report);
	if (!report->failed)
		return 0;
	buf_reset(&session->problem);
	buf_puts(&session->problem, "out of memory");
	return EXIT_INTERNAL;
}

int option_areas(const struct option_given *given, void *member)
{
	CLEANUP_BUF struct buf bad = { 0 };
	CLEANUP_BUF struct buf names = { 0 };

	if (areas_parse(given->value, member, &bad))
		return 0;
	areas_put_names(&names, AREAS_ALL);
	return option_error(given, EXIT_USAGE, "--only: \"%s\" is not one of %s", buf_text(&bad),
			    buf_text(&names));
}
