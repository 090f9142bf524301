/* start: loads the BPF object or takes it over, scans once, and with --watch keeps scanning. */
#include "trace/commands.h"

#include "trace/lock.h"
#include "trace/report.h"

#include "basic/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* The period of scans: new holders are found within a second. */
#define SCAN_EVERY (900 * NS_PER_MS)

/* At most 1/20 of a core: with very many processes the period grows. */
#define SCAN_SHARE 20

struct trace_session {
	const struct trace_options *options;
	struct tracer tracer;
	struct trace_scan *scan;
	struct buf report;
	sigset_t signals; /* that end it */
	int code;	  /* of attaching to the named files */
	int lock;
};

static bool has_line(const char *text, const char *line)
{
	for (const char *at = text; (at = strstr(at, line)); at++)
		if (at == text || at[-1] == '\n')
			return true;
	return false;
}

/* Lines of the report that were not in it before. */
static void print_news(const char *old, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n") + 1;
		CLEANUP_FREE char *line = strndup(text, length);

		if (line && !has_line(old, line))
			fputs(line, stdout);
		text += length;
	}
	fflush(stdout);
}

/* Attaches to the named files. One that fails is reported, and does not stop the others. */
static int attach_named(const struct trace_session *session)
{
	int code = EXIT_FINE;

	for (char **file = session->options->files; *file; file++) {
		struct file_state state;
		int r = scan_file(session->scan, *file, &state);

		if (r < 0)
			code = complain(EXIT_USAGE, "%s: %s", *file, strerror(-r));
		else if (!state.is_metal)
			code = complain(EXIT_USAGE, "%s: not TT-Metal, or without symbols", *file);
		else if (state.fault)
			code = complain(EXIT_USAGE, "%s: %s: %s", *file, state.problem,
					trace_fault_meaning(state.fault));
		else if (state.problem)
			code = complain(EXIT_USAGE, "%s: %s", *file, state.problem);
	}
	return code;
}

static int scan_locked(struct trace_session *session, bool first, struct buf *problem)
{
	CLEANUP_BUF struct buf before = { 0 };
	int r;

	r = scan_begin(session->scan);
	if (r == 0 && first)
		session->code = attach_named(session);
	if (r == 0)
		r = scan_run(session->scan, problem);
	if (r == 0) {
		buf_puts(&before, buf_text(&session->report));
		r = report_write(session->scan, &session->report);
	}
	if (r < 0 && !problem->length)
		buf_printf(problem, "%s", strerror(-r));
	if (r == 0)
		print_news(buf_text(&before), buf_text(&session->report));
	return r;
}

/* The loaded map keeps its size: warns if --max-buffers asks for another. */
static int check_size(const struct trace_session *session)
{
	uint32_t asked = session->options->tracer.max_buffers, have;
	int r = tracer_max_buffers(&session->tracer, &have);

	if (r == 0 && asked && asked != have)
		complain(0,
			 "--max-buffers %u has no effect: the map is loaded with %u until trace "
			 "stop",
			 asked, have);
	return r;
}

static int scan_once(struct trace_session *session, bool first, struct buf *problem)
{
	int r = lock_take(session->lock, LOCK_STATE);

	if (r < 0) {
		buf_printf(problem, LOCK_FILE ": %s", strerror(-r));
		return r;
	}
	if (first)
		r = tracer_open(&session->tracer, &session->options->tracer, problem);
	if (r == 0 && first)
		r = check_size(session);
	if (r == 0)
		r = scan_locked(session, first, problem);
	lock_drop(session->lock, LOCK_STATE);
	return r;
}

/* Waits; true: a signal asks it to end. */
static bool pause_for(const struct trace_session *session, int64_t ns)
{
	struct timespec time = clock_timespec(ns);

	return sigtimedwait(&session->signals, NULL, &time) > 0 || errno == EINVAL;
}

static int watch(struct trace_session *session, struct buf *problem)
{
	int64_t pause = SCAN_EVERY, began, used;
	int r;

	r = report_watcher_set();
	if (r < 0)
		return r;
	printf("watching    process %d\n", getpid());
	fflush(stdout);
	while (!pause_for(session, pause)) {
		began = clock_now(CLOCK_MONOTONIC);
		used = clock_now(CLOCK_PROCESS_CPUTIME_ID);
		r = scan_once(session, false, problem);
		if (r < 0)
			break;
		used = clock_now(CLOCK_PROCESS_CPUTIME_ID) - used;
		pause = SCAN_EVERY - (clock_now(CLOCK_MONOTONIC) - began);
		pause = MAX(pause, used * SCAN_SHARE);
	}
	report_watcher_clear();
	return r;
}

/* Waits until no other process watches. 1: a signal ended the wait. */
static int wait_turn(const struct trace_session *session)
{
	bool said = false;
	int r;

	while ((r = lock_try(session->lock, LOCK_WATCH)) == -EAGAIN) {
		if (!said)
			complain(0, "process %d watches already; waiting for it to end",
				 lock_owner(session->lock, LOCK_WATCH));
		said = true;
		if (pause_for(session, NS_PER_S / 2))
			return 1;
	}
	return r;
}

static int run(struct trace_session *session)
{
	CLEANUP_BUF struct buf problem = { 0 };
	int r;

	r = scan_once(session, true, &problem);
	if (r == 0 && session->options->watch)
		r = watch(session, &problem);
	if (r < 0)
		return complain(exit_code(r), "%s",
				problem.length ? buf_text(&problem) : strerror(-r));
	return session->code;
}

/* Everything between the creation of the scan and its end. Returns the exit code. */
static int start(struct trace_session *session, struct trace_options *options)
{
	int r = 0;

	sigemptyset(&session->signals);
	sigaddset(&session->signals, SIGTERM);
	sigaddset(&session->signals, SIGINT);
	session->lock = lock_open();
	if (session->lock < 0)
		return complain_lock(session->lock);
	if (options->watch) {
		sigprocmask(SIG_BLOCK, &session->signals, NULL);
		r = wait_turn(session);
	} else {
		options->tracer.keep = lock_owner(session->lock, LOCK_WATCH) != 0;
	}
	r = r == 0 ? run(session) : r == 1 ? EXIT_FINE : exit_code(r);
	close(session->lock);
	return r;
}

int command_start(const struct trace_options *given)
{
	struct trace_options options = *given;
	struct trace_session session = { .options = &options };
	CLEANUP_FREE struct trace_scan *scan = malloc(sizeof(*scan));
	int code, r;

	if (!scan)
		return complain(EXIT_INTERNAL, "out of memory");
	memset(session.tracer.maps, -1, sizeof(session.tracer.maps));
	memset(session.tracer.programs, -1, sizeof(session.tracer.programs));
	session.scan = scan;
	r = scan_init(scan, &session.tracer, options.watch);
	if (r < 0)
		return complain(EXIT_INTERNAL, "%s", strerror(-r));
	code = start(&session, &options);
	if (!scan_done(scan)) {
		fflush(NULL);
		_exit(code); /* a blocked job still uses our memory */
	}
	tracer_close(&session.tracer);
	buf_done(&session.report);
	return code;
}
