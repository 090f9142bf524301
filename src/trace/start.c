/* start: loads the BPF object or takes it over, scans once, and with --watch keeps scanning. */
#include "trace/commands.h"

#include "trace/lock.h"
#include "trace/program_sampler.h"
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
	sigset_t signals; /* signals that end it */
	int code;	  /* result of attaching to the named files */
	int lock;
	struct program_sampler programs;
};

static bool has_line(const char *text, const char *line)
{
	for (const char *at = text; (at = strstr(at, line)); at++)
		if (at == text || at[-1] == '\n')
			return true;
	return false;
}

/* Prints lines of the report that were not in it before. */
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
			code = print_error(EXIT_USAGE, "%s: %s", *file, strerror(-r));
		else if (!state.is_metal)
			code = print_error(EXIT_USAGE, "%s: not TT-Metal, or without symbols",
					   *file);
		else if (state.fault)
			code = print_error(EXIT_USAGE, "%s: %s: %s", *file, state.problem,
					   trace_fault_meaning(state.fault));
		else if (state.problem)
			code = print_error(EXIT_USAGE, "%s: %s", *file, state.problem);
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

/* The loaded map keeps its size: warns if --max-buffers requests another. */
static int check_size(const struct trace_session *session)
{
	uint32_t asked = session->options->tracer.max_buffers, have;
	int r = tracer_max_buffers(&session->tracer, &have);

	if (r == 0 && asked && asked != have)
		print_error(
			0,
			"--max-buffers %u has no effect: the loaded map has %u until tt_smi trace "
			"stop",
			asked, have);
	return r;
}

/* Utilisation is sampled only with --watch. */
static int begin_programs(struct trace_session *session)
{
	struct trace_scan *scan = session->scan;
	int r = program_sampler_init(&session->programs, &session->tracer,
				     scan->state.round.workers, session->options->follow);

	if (r < 0)
		return r;
	scan->programs = &session->programs;
	scan->state.programs = &session->programs.links;
	return 0;
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
	if (r == 0 && first && session->options->watch)
		r = begin_programs(session);
	if (r == 0)
		r = scan_locked(session, first, problem);
	lock_drop(session->lock, LOCK_STATE);
	return r;
}

/* Waits. True: a signal requests the end. */
static bool pause_for(const struct trace_session *session, int64_t ns)
{
	struct timespec time = clock_timespec(ns);

	return sigtimedwait(&session->signals, NULL, &time) > 0 || errno == EINVAL;
}

/* Scans, and computes when the next scan is due. */
static int scan_again(struct trace_session *session, int64_t *ret_next, struct buf *problem)
{
	int64_t used = clock_now(CLOCK_PROCESS_CPUTIME_ID), began = clock_now(CLOCK_MONOTONIC);
	int r = scan_once(session, false, problem);
	int64_t now = clock_now(CLOCK_MONOTONIC);

	used = clock_now(CLOCK_PROCESS_CPUTIME_ID) - used;
	*ret_next = MAX(began + SCAN_EVERY, now + used * SCAN_SHARE);
	return r;
}

/* Between two scans utilisation is sampled, if there is anything to sample. */
static int watch_on(struct trace_session *session, struct buf *problem)
{
	int64_t now = clock_now(CLOCK_MONOTONIC), scan = now, sample = now;
	int r = 0;

	while (r == 0) {
		bool active = program_sampler_is_active(&session->programs);
		int64_t next = active ? MIN(scan, sample) : scan;

		now = clock_now(CLOCK_MONOTONIC);
		if (pause_for(session, MAX(next - now, 0)))
			return 0;
		now = clock_now(CLOCK_MONOTONIC);
		if (active && now >= sample) {
			r = program_sampler_run(&session->programs);
			sample = MAX(sample + PROGRAM_SAMPLE_EVERY, now);
		}
		if (r == 0 && now >= scan)
			r = scan_again(session, &scan, problem);
	}
	return r;
}

static int watch(struct trace_session *session, struct buf *problem)
{
	int r = report_watcher_set();

	if (r < 0)
		return r;
	printf("watching    process %d\n", getpid());
	fflush(stdout);
	r = watch_on(session, problem);
	report_watcher_clear();
	return r;
}

/* Waits until there is no other watcher. 1: a signal ended the wait. */
static int wait_turn(const struct trace_session *session)
{
	bool said = false;
	int r;

	while ((r = lock_try(session->lock, LOCK_WATCH)) == -EAGAIN) {
		if (!said)
			print_error(0,
				    "another tracer (pid %d) runs with --watch already; waiting "
				    "for it to end",
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
		return print_error(exit_code(r), "%s",
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
		return print_lock_error(session->lock);
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

	if ((options.follow.launches || options.follow.names) && !options.watch)
		return print_error(EXIT_USAGE,
				   "%s needs --watch: only a tracer that stays measures",
				   options.follow.launches ? "--programs" : "--names");
	if (!scan)
		return print_error(EXIT_INTERNAL, "out of memory");
	memset(session.tracer.maps, -1, sizeof(session.tracer.maps));
	memset(session.tracer.programs, -1, sizeof(session.tracer.programs));
	session.scan = scan;
	r = scan_init(scan, &session.tracer, options.watch);
	if (r < 0)
		return print_error(EXIT_INTERNAL, "%s", strerror(-r));
	code = start(&session, &options);
	if (scan->programs && !worker_pool_is_blocked(scan->state.round.workers))
		program_sampler_done(&session.programs);
	if (!scan_done(scan)) {
		fflush(NULL);
		_exit(code); /* a blocked job still uses our memory */
	}
	tracer_close(&session.tracer);
	buf_done(&session.report);
	return code;
}
