#include "daemon/manager.h"

#include "basic/clock.h"
#include "daemon/adopt.h"
#include "daemon/client.h"
#include "daemon/connection.h"
#include "daemon/legacy_connection.h"
#include "daemon/legacy_process.h"
#include "daemon/log.h"
#include "daemon/mourner.h"
#include "daemon/reexec.h"
#include "daemon/systemd.h"
#include "daemon/traced.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>

/* Accepted in one go: a flood on one socket does not keep the others waiting. */
enum { ACCEPT_BATCH = 32 };

/* Descriptors: three of each client (socket, pidfd, table), and what the server itself needs. */
enum { FDS_PER_CLIENT = 3, FDS_OWN = 512 + TRACED_LIVES_MAX };

static void raise_descriptors(struct manager *manager)
{
	uint32_t *clients = &manager->limits.value[LIMIT_CLIENTS];
	rlim_t own = (rlim_t)manager->limits.value[LIMIT_NEW] + FDS_OWN;
	rlim_t needed = (rlim_t)*clients * FDS_PER_CLIENT + own;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= needed)
		return;
	limit.rlim_cur = MIN(needed, limit.rlim_max);
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0 && getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	if (limit.rlim_cur >= needed)
		return;
	/* What is said to be the limit is what is held to. */
	*clients = (uint32_t)MAX((limit.rlim_cur - MIN(limit.rlim_cur, own)) / FDS_PER_CLIENT, 1);
	log_line(LOG_NOTE, "at most %u clients, since no more descriptors may be had", *clients);
}

/* No descriptor left: the one kept for this lets the peer hear at least that it is refused. */
static void accept_without_fd(struct manager *manager, int listener)
{
	int fd;

	log_line(LOG_REFUSAL, "connection refused: no descriptors left");
	close(manager->spare);
	fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0)
		close(fd);
	manager->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void accept_all(struct manager *manager, int listener,
		       void (*take)(struct manager *manager, int fd))
{
	for (int i = 0; i < ACCEPT_BATCH; i++) {
		int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0)
			take(manager, fd);
		else if (errno == EMFILE || errno == ENFILE)
			accept_without_fd(manager, listener);
		else if (errno != ECONNABORTED && errno != EINTR)
			return;
	}
}

static void own_ready(struct watch *watch, uint32_t events)
{
	(void)events;
	accept_all(container_of(watch, struct manager, own.watch), watch->fd, connection_accept);
}

static void legacy_ready(struct watch *watch, uint32_t events)
{
	(void)events;
	accept_all(container_of(watch, struct manager, legacy.watch), watch->fd,
		   legacy_connection_accept);
}

/* SIGHUP is also what a terminal sends that is closed: then it means what it always meant. */
static bool terminal_is_gone(void)
{
	struct pollfd state = { .fd = STDERR_FILENO };
	struct stat st;

	return fstat(STDERR_FILENO, &st) == 0 && S_ISCHR(st.st_mode) && poll(&state, 1, 0) > 0 &&
	       state.revents & POLLHUP;
}

static void signals_ready(struct watch *watch, uint32_t events)
{
	struct manager *manager = container_of(watch, struct manager, signals);
	struct signalfd_siginfo info;

	(void)events;
	while (read(watch->fd, &info, sizeof(info)) == sizeof(info)) {
		bool again = info.ssi_signo == SIGHUP && !terminal_is_gone();

		log_line(LOG_NOTE, "%s", again ? "executed again" : "ends");
		manager->again = again;
		loop_stop(&manager->loop);
		if (!again)
			return; /* whatever else was asked for */
	}
}

/* SIGPIPE is ignored too, though every send says MSG_NOSIGNAL: the log may be a pipe. */
static int signals_init(struct manager *manager)
{
	sigset_t set;
	int fd, r;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	signal(SIGPIPE, SIG_IGN);
	if (sigprocmask(SIG_SETMASK, &set, NULL) < 0)
		return -errno;
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return -errno;
	manager->signals.ready = signals_ready;
	r = watch_start(&manager->loop, &manager->signals, fd, EPOLLIN);
	if (r < 0)
		close(fd);
	return r;
}

static const char *listen_error(int error)
{
	switch (error) {
	case -EADDRINUSE: return "another server is living there";
	case -ENOTSOCK: return "something that is not a socket is there, and is left alone";
	case -EPERM: return "its directory belongs to somebody who could replace it";
	default: return strerror(-error);
	}
}

static int own_open(struct manager *manager)
{
	CLEANUP_FREE char *usual = listener_usual_path();
	const char *path = manager->options->socket ? manager->options->socket : usual;
	int r;

	if (!path) {
		log_line(LOG_FAULT, "no directory for the socket is known: give --socket or set "
				    "XDG_RUNTIME_DIR");
		return -ENOENT;
	}
	r = listener_open(&manager->own, path, SOCK_SEQPACKET);
	if (r < 0)
		log_line(LOG_FAULT, "cannot listen on %s: %s", path, listen_error(r));
	return r;
}

/*
 * Anybody may take a name in /tmp. Who asked for it on the command line wants to
 * know; otherwise the server goes on without, for its own clients' sake.
 */
static int legacy_open(struct manager *manager)
{
	const char *path = manager->options->legacy;
	int r;

	if (!path)
		return 0;
	r = listener_open(&manager->legacy, path, SOCK_STREAM);
	if (r >= 0)
		return 0;
	log_line(LOG_FAULT, "cannot listen on %s: %s%s", path, listen_error(r),
		 manager->options->legacy_is_given ? "" : "; going on without it");
	return manager->options->legacy_is_given ? r : 0;
}

/* Sockets that systemd made: which is which, their type tells. */
static int sockets_adopt(struct manager *manager)
{
	int count = systemd_sockets();

	for (int fd = 3; fd < 3 + count; fd++) {
		socklen_t length = sizeof(int);
		int type = 0, r;
		struct listener *listener;

		if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) < 0)
			return -errno;
		listener = type == SOCK_SEQPACKET ? &manager->own : &manager->legacy;
		if ((type != SOCK_SEQPACKET && type != SOCK_STREAM) || listener->watch.fd >= 0)
			return -EINVAL;
		r = listener_adopt(listener, fd);
		if (r < 0)
			return r;
	}
	return 0;
}

static int listener_start(struct manager *manager, struct listener *listener)
{
	int fd = listener->watch.fd;

	if (fd < 0)
		return 0;
	return watch_start(&manager->loop, &listener->watch, fd, EPOLLIN);
}

static int sockets_init(struct manager *manager)
{
	int r = sockets_adopt(manager);

	if (r < 0) {
		log_line(LOG_FAULT, "the sockets given by systemd cannot be used: %s",
			 strerror(-r));
		return r;
	}
	if (manager->own.watch.fd < 0)
		r = own_open(manager);
	if (r >= 0 && manager->legacy.watch.fd < 0)
		r = legacy_open(manager);
	return r;
}

int manager_init(struct manager *manager, const struct options *options)
{
	int r;

	*manager = (struct manager){
		.options = options,
		.limits = options->limits,
		.root.fd = -1,
		.own.watch = { .fd = -1, .ready = own_ready },
		.legacy.watch = { .fd = -1, .ready = legacy_ready },
		.signals.fd = -1,
		.start_ns = clock_now(CLOCK_REALTIME),
		.spare = -1,
	};
	list_init(&manager->connections);
	list_init(&manager->clients);
	list_init(&manager->legacy_connections);
	list_init(&manager->legacy_processes);
	list_init(&manager->mourners);
	list_init(&manager->lives);
	manager->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
	r = loop_init(&manager->loop);
	if (r >= 0)
		r = signals_init(manager);
	if (r >= 0)
		r = accounts_init(&manager->accounts, manager->limits.value[LIMIT_FINISHED]);
	if (r < 0) {
		log_line(LOG_FAULT, "cannot start: %s", strerror(-r));
		return r;
	}
	r = root_init(&manager->root, options->root);
	if (r < 0) {
		log_line(LOG_FAULT, "%s: %s", options->root, strerror(-r));
		return r;
	}
	raise_descriptors(manager);
	r = cards_init(&manager->cards, &manager->loop, &manager->root);
	if (r < 0) {
		log_line(LOG_FAULT, "cannot look for cards: %s", strerror(-r));
		return r;
	}
	if (!reexec_restore(manager))
		r = sockets_init(manager);
	if (r >= 0)
		r = listener_start(manager, &manager->own);
	if (r >= 0)
		r = listener_start(manager, &manager->legacy);
	return r;
}

/* Once more after a SIGHUP that could not be followed: then all of it is there. */
static void tracing_start(struct manager *manager)
{
	bool traces = manager->options->trace;

	if (manager->tracer.loop)
		return;
	traced_init(manager, traces);
	if (traces)
		tracer_start(&manager->tracer, &manager->loop, manager->tracer_left);
}

int manager_run(struct manager *manager)
{
	unsigned adopted = adopt_tables(manager);
	int r;

	tracing_start(manager);
	log_line(LOG_NOTE, "listens on %s%s%s", manager->own.path,
		 manager->legacy.path ? " and " : "",
		 manager->legacy.path ? manager->legacy.path : "");
	if (adopted)
		log_line(LOG_NOTE, "found %u programs that report already", adopted);
	systemd_notify("READY=1");
	r = loop_run(&manager->loop);
	if (r < 0)
		log_line(LOG_FAULT, "cannot wait for events: %s", strerror(-r));
	return r;
}

static void connections_done(struct manager *manager)
{
	for (LIST_EACH(at, &manager->clients))
		client_free(container_of(at, struct client, member));
	for (LIST_EACH(at, &manager->connections))
		connection_close(container_of(at, struct connection, member));
	for (LIST_EACH(at, &manager->legacy_connections)) {
		struct legacy_connection *connection =
			container_of(at, struct legacy_connection, member);

		connection->process = NULL;
		legacy_connection_close(connection);
	}
	for (LIST_EACH(at, &manager->legacy_processes))
		legacy_process_free(container_of(at, struct legacy_process, member));
}

static void listener_end(struct manager *manager, struct listener *listener)
{
	int fd = listener->watch.fd;

	watch_stop(&manager->loop, &listener->watch);
	listener->watch.fd = fd;
	listener_close(listener);
}

void manager_done(struct manager *manager)
{
	int signals = manager->signals.fd;

	systemd_notify("STOPPING=1");
	listener_end(manager, &manager->own);
	listener_end(manager, &manager->legacy);
	connections_done(manager);
	traced_done(manager);
	tracer_stop(&manager->tracer);
	mourners_done(manager);
	cards_done(&manager->cards);
	watch_stop(&manager->loop, &manager->signals);
	if (signals >= 0)
		close(signals);
	accounts_done(&manager->accounts);
	quotas_done(&manager->quotas);
	loop_done(&manager->loop);
	root_done(&manager->root);
	if (manager->spare >= 0)
		close(manager->spare);
}
