#include "daemon/tracer.h"

#include "basic/clock.h"
#include "basic/exit_code.h"
#include "basic/optional_part.h"
#include "basic/sibling_program.h"
#include "daemon/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static const char program[] = "tt_smi-trace";

/* Delay before a restart; doubled each time, unless it had run for a while. */
#define PAUSE_FIRST (1 * NS_PER_S)
#define PAUSE_LAST  (30 * NS_PER_S)
#define LIVED_LONG  (60 * NS_PER_S)

/* It normally ends at once on a signal; a busy system may need longer. */
enum { END_MS = 5000 };

int tracer_check(void)
{
	char path[PATH_MAX];

	if (sibling_program_find(program, path, sizeof(path)) < 0) {
		CLEANUP_BUF struct buf missing = { 0 };

		optional_part_put_missing(&missing, PART_TRACER);
		log_line(LOG_FAULT, "--trace: %s not found: %s", program, buf_text(&missing));
		return EXIT_UNAVAILABLE;
	}
	if (geteuid() != 0) {
		log_line(LOG_FAULT, "--trace: only root may trace programs");
		return EXIT_PERMISSION;
	}
	return 0;
}

/*
 * Runs in the child. It has its own process group, so that signals of a terminal go to the server
 * only, which then stops it. If the server is killed, the kernel stops it.
 */
static void become_tracer(const struct tracer_child *tracer, pid_t parent)
{
	static char name[] = "tt_smi-trace", start[] = "start", watch[] = "--watch",
		    programs[] = "--programs", names[] = "--names";
	char *argv[6] = { name, start, watch };
	size_t count = 3;
	sigset_t none;
	int null, r;

	if (tracer->options->programs)
		argv[count++] = programs;
	if (tracer->options->names)
		argv[count] = names;
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_FAILED);
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null >= 0)
		dup2(null, STDIN_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO); /* its output goes to our log */
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	r = sibling_program_execute(program, argv);
	log_line(LOG_FAULT, "cannot execute %s: %s", program, strerror(-r));
	_exit(EXIT_UNAVAILABLE);
}

/* Schedules a restart. Returns the delay. */
static int64_t tracer_later(struct tracer_child *tracer)
{
	int64_t lived = clock_now(CLOCK_MONOTONIC) - tracer->started_ns;
	int64_t pause = lived > LIVED_LONG ? PAUSE_FIRST : MAX(tracer->pause_ns, PAUSE_FIRST);

	timer_set(tracer->loop, &tracer->restart, pause);
	tracer->pause_ns = MIN(2 * pause, PAUSE_LAST);
	return pause;
}

/* Reaps a child that has ended. */
static void tracer_forget(struct tracer_child *tracer)
{
	int fd = tracer->pidfd_watch.fd;

	watch_stop(tracer->loop, &tracer->pidfd_watch);
	if (fd >= 0)
		close(fd);
	tracer->pid = 0;
}

static void tracer_ended(struct watch *watch, uint32_t events)
{
	struct tracer_child *tracer = container_of(watch, struct tracer_child, pidfd_watch);
	int status = 0;

	(void)events;
	if (waitpid(tracer->pid, &status, WNOHANG) == 0)
		return;
	tracer_forget(tracer);
	log_line(LOG_FAULT, "the tracer %s %d; restarting in %lld s",
		 WIFSIGNALED(status) ? "was killed by signal" : "ended with status",
		 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
		 (long long)(tracer_later(tracer) / NS_PER_S));
}

static int tracer_watch(struct tracer_child *tracer)
{
	int fd = (int)syscall(SYS_pidfd_open, tracer->pid, 0), r;

	if (fd < 0)
		return -errno;
	r = watch_start(tracer->loop, &tracer->pidfd_watch, fd, EPOLLIN);
	if (r < 0)
		close(fd);
	return r;
}

static void tracer_spawn(struct tracer_child *tracer)
{
	pid_t parent = getpid();
	int r = 0;

	tracer->started_ns = clock_now(CLOCK_MONOTONIC);
	tracer->pid = fork();
	if (tracer->pid == 0)
		become_tracer(tracer, parent);
	if (tracer->pid < 0)
		r = -errno;
	else
		r = tracer_watch(tracer);
	if (r >= 0) {
		log_line(LOG_NOTE, "tracing programs; the tracer has pid %d", tracer->pid);
		return;
	}
	log_line(LOG_FAULT, "cannot start the tracer: %s", strerror(-r));
	if (tracer->pid > 0) {
		kill(tracer->pid, SIGKILL);
		waitpid(tracer->pid, NULL, 0);
	}
	tracer->pid = 0;
	tracer_later(tracer);
}

static void tracer_restart(struct timer *timer)
{
	tracer_spawn(container_of(timer, struct tracer_child, restart));
}

void tracer_start(struct tracer_child *tracer, struct loop *loop,
		  const struct server_options *options, pid_t child)
{
	*tracer = (struct tracer_child){
		.loop = loop,
		.pidfd_watch = { .fd = -1, .ready = tracer_ended },
		.restart.expired = tracer_restart,
		.started_ns = clock_now(CLOCK_MONOTONIC),
		.pid = child,
		.options = options,
	};
	/* It is still our child and running: use it. */
	if (child > 0 && waitpid(child, NULL, WNOHANG) == 0 && tracer_watch(tracer) >= 0)
		return;
	tracer_spawn(tracer);
}

void tracer_stop(struct tracer_child *tracer)
{
	struct pollfd end = { .fd = tracer->pidfd_watch.fd, .events = POLLIN };

	if (!tracer->loop)
		return;
	timer_stop(tracer->loop, &tracer->restart);
	if (tracer->pid <= 0)
		return;
	kill(tracer->pid, SIGTERM);
	if (poll(&end, 1, END_MS) <= 0)
		kill(tracer->pid, SIGKILL);
	waitpid(tracer->pid, NULL, 0);
	tracer_forget(tracer);
}
