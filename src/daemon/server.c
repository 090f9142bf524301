#include "daemon/server.h"

#include "basic/clock.h"
#include "basic/systemd.h"
#include "daemon/connection.h"
#include "daemon/descriptors.h"
#include "daemon/fd_closer.h"
#include "daemon/legacy_connection.h"
#include "daemon/log.h"
#include "daemon/manager.h"
#include "daemon/user_log.h"
#include "daemon/reexec.h"
#include "daemon/sockets.h"
#include "daemon/table_search.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>

/* Maximum time that the first client waits for the observer. */
#define BEGIN (3 * NS_PER_S)

/* Maximum time for sending pending answers before a re-exec. */
#define DRAIN (1 * NS_PER_S)

/* Closing a terminal sends SIGHUP, too: then the server stops. */
static bool terminal_is_closed(void)
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
		bool restart = info.ssi_signo == SIGHUP && !terminal_is_closed();

		log_line(LOG_NOTE, "%s", restart ? "restarting on SIGHUP" : "stopping");
		manager->reexec = restart;
		loop_stop(&manager->loop);
		if (!restart)
			return; /* stopping takes precedence */
	}
}

/* SIGPIPE is ignored although every send uses MSG_NOSIGNAL: the log may be a pipe. */
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

/* Shared answers are freed when no request is waiting. */
static bool give_turns(struct loop *loop)
{
	struct manager *manager = container_of(loop, struct manager, loop);

	turns_run(&manager->turns);
	if (turns_are_left(&manager->turns))
		return true;
	replies_trim(&manager->replies);
	return false;
}

static int begin(struct manager *manager)
{
	int r = loop_init(&manager->loop);

	manager->loop.work = give_turns;
	if (r >= 0)
		r = signals_init(manager);
	if (r >= 0)
		r = fd_closer_new(&manager->loop, &manager->closer);
	manager->clients.closer = manager->connections.closer = manager->closer;
	manager->legacy_connections.closer = manager->closer;
	if (r < 0)
		log_line(LOG_FAULT, "cannot start: %s", strerror(-r));
	return r;
}

/* Clients are accepted once the cards and the running clients are known. */
static void serve(struct manager *manager)
{
	timer_stop(&manager->loop, &manager->begin);
	manager->serves = true;
	manager->failed = sockets_start(manager);
	if (manager->failed < 0) {
		log_line(LOG_FAULT, "cannot listen: %s", strerror(-manager->failed));
		loop_stop(&manager->loop);
		return;
	}
	log_line(LOG_NOTE, "listening on %s%s%s", manager->own.path,
		 manager->legacy.path ? " and " : "",
		 manager->legacy.path ? manager->legacy.path : "");
	if (manager->adopted)
		log_line(LOG_NOTE, "found %u clients that were already running", manager->adopted);
	systemd_notify("READY=1");
}

static void serve_if_ready(struct manager *manager)
{
	if (!manager->serves && manager->searched && manager->cards.observation)
		serve(manager);
}

static void begin_late(struct timer *timer)
{
	serve(container_of(timer, struct manager, begin));
}

static void observed(void *arg, struct observation *observation)
{
	struct manager *manager = arg;

	cards_take(&manager->cards, observation);
	for (size_t i = 0; i < observation->n_gone; i++)
		clients_lost_link(&manager->clients, observation->gone[i]);
	observed_processes_update(&manager->observed);
	cards_wake(&manager->cards);
	serve_if_ready(manager);
}

static void found(void *arg, const struct found_table *table)
{
	const struct peer *peer = &table->peer;
	struct manager *manager = arg;
	struct client *client;
	int r = client_new(&manager->clients, peer, table->pidfd, table->table, NULL, table->link,
			   &client);

	if (r == -EUSERS)
		log_user(NULL, LOG_EXCEEDED,
			 "table of pid %d, uid %u not adopted: too many clients", peer->pid,
			 peer->uid);
	if (r < 0) {
		fd_closer_close(manager->closer, table->table);
		close(table->pidfd);
		return;
	}
	manager->adopted++;
	log_user(client->reporter.user, LOG_PROGRAMS, "table of %s, pid %d, uid %u: found",
		 peer->name, peer->pid, peer->uid);
}

static void searched(void *arg, int error)
{
	struct manager *manager = arg;

	if (error < 0)
		log_line(LOG_FAULT, "cannot search /proc for clients: %s", strerror(-error));
	manager->searched = true;
	serve_if_ready(manager);
}

static void active(void *arg, const struct image_device *list, size_t count)
{
	struct manager *manager = arg;

	cards_take_activity(&manager->cards, list, count);
}

static struct observed_link *adopted_links(void *arg, size_t *ret_count)
{
	return clients_links(arg, ret_count);
}

static int observe(struct manager *manager)
{
	static const struct observer_ops ops = {
		.observed = observed,
		.found = found,
		.searched = searched,
		.active = active,
	};
	int r = root_init(&manager->root, manager->options->root);

	if (r < 0) {
		log_line(LOG_FAULT, "%s: %s", manager->options->root, strerror(-r));
		return r;
	}
	descriptors_raise(&manager->limits);
	r = observer_new(&manager->loop, &manager->root, &ops, manager, &manager->observer);
	if (r < 0) {
		log_line(LOG_FAULT, "cannot start the observer thread: %s", strerror(-r));
		return r;
	}
	cards_init(&manager->cards, &manager->loop, manager->observer, adopted_links,
		   &manager->clients);
	manager->probes = observer_probes(manager->observer);
	manager->connections.probes = manager->legacy_connections.probes = manager->probes;
	device_filters_init(&manager->filters, manager->probes);
	observed_processes_init(&manager->observed, &manager->reporters, &manager->cards,
				manager->probes, manager->options->trace);
	manager->begin.expired = begin_late;
	return 0;
}

static void connections_init(struct manager *manager)
{
	manager->answers = (struct answers){
		.reporters = &manager->reporters,
		.accounts = &manager->accounts,
		.cards = &manager->cards,
		.replies = &manager->replies,
		.server_start_ns = clock_now(CLOCK_REALTIME),
	};
	manager->connections = (struct connections){
		.loop = &manager->loop,
		.limits = &manager->limits,
		.users = &manager->users,
		.turns = &manager->turns,
		.cards = &manager->cards,
		.clients = &manager->clients,
		.answers = &manager->answers,
	};
	list_init(&manager->connections.list);
}

static void legacy_connections_init(struct manager *manager)
{
	manager->legacy_answers = (struct legacy_answers){
		.reporters = &manager->reporters,
		.cards = &manager->cards,
	};
	manager->legacy_connections = (struct legacy_connections){
		.loop = &manager->loop,
		.users = &manager->users,
		.turns = &manager->turns,
		.filters = &manager->filters,
		.processes = &manager->legacy_processes,
		.answers = &manager->legacy_answers,
	};
	list_init(&manager->legacy_connections.list);
}

/* Initializes everything that needs neither descriptors nor threads. */
static void tables_init(struct manager *manager)
{
	users_init(&manager->users, &manager->limits);
	log_start(&manager->loop, &manager->users);
	accounts_init(&manager->accounts, &manager->users);
	exit_watches_init(&manager->exit_watches, &manager->loop, &manager->accounts);
	reporters_init(&manager->reporters, &manager->loop, &manager->users, &manager->accounts,
		       &manager->exit_watches);
	manager->clients = (struct clients){ .reporters = &manager->reporters };
	manager->legacy_processes = (struct legacy_processes){
		.reporters = &manager->reporters,
		.filters = &manager->filters,
		.cards = &manager->cards,
	};
	turns_init(&manager->turns);
	replies_init(&manager->replies);
	sockets_init(manager);
	connections_init(manager);
	legacy_connections_init(manager);
}

int server_init(struct manager *manager, const struct server_options *options)
{
	int r;

	*manager = (struct manager){
		.options = options,
		.limits = options->limits,
		.root.fd = -1,
		.signals.fd = -1,
		.spare = open("/dev/null", O_RDONLY | O_CLOEXEC),
	};
	tables_init(manager);
	r = begin(manager);
	if (r >= 0)
		r = observe(manager);
	if (r >= 0 && !reexec_restore(manager))
		r = sockets_open(manager);
	return r;
}

/* Also called after a failed re-exec: then the tracer exists already. */
static void tracing_start(struct manager *manager)
{
	if (manager->options->trace && !manager->tracer.loop)
		tracer_start(&manager->tracer, &manager->loop, manager->options,
			     manager->inherited_tracer);
}

int server_run(struct manager *manager)
{
	int r;

	tracing_start(manager);
	if (!manager->serves) {
		observer_search(manager->observer);
		cards_refresh(&manager->cards);
		timer_set(&manager->loop, &manager->begin, BEGIN);
	}
	r = loop_run(&manager->loop);
	if (r < 0)
		log_line(LOG_FAULT, "cannot wait for events: %s", strerror(-r));
	return r < 0 ? r : manager->failed;
}

void server_drain(struct manager *manager)
{
	int64_t until = clock_now(CLOCK_MONOTONIC) + DRAIN;

	cards_wake_all(&manager->cards);
	while (turns_are_left(&manager->turns) && clock_now(CLOCK_MONOTONIC) < until)
		turns_run(&manager->turns);
	replies_trim(&manager->replies);
	for (LIST_EACH(at, &manager->connections.list)) {
		struct connection *connection = container_of(at, struct connection, member);

		if (connection->state == CONNECTION_PROBING ||
		    connection->state == CONNECTION_ASKED ||
		    connection->state == CONNECTION_SENDING ||
		    connection->state == CONNECTION_REFUSED)
			connection_close(connection);
	}
	for (LIST_EACH(at, &manager->legacy_connections.list)) {
		struct legacy_connection *connection =
			container_of(at, struct legacy_connection, member);

		if (connection->state == LEGACY_LEAVING)
			legacy_connection_close(connection);
	}
}

static void connections_done(struct manager *manager)
{
	for (LIST_EACH(at, &manager->connections.list))
		connection_close(container_of(at, struct connection, member));
	for (LIST_EACH(at, &manager->legacy_connections.list))
		legacy_connection_close(container_of(at, struct legacy_connection, member));
}

void server_done(struct manager *manager)
{
	int signals = manager->signals.fd;

	systemd_notify("STOPPING=1");
	sockets_close(manager);
	reporters_done(&manager->reporters); /* first, so that no accounts are added */
	connections_done(manager);
	observed_processes_done(&manager->observed);
	tracer_stop(&manager->tracer);
	exit_watches_done(&manager->exit_watches);
	device_filters_done(&manager->filters);
	manager->observer = observer_free(manager->observer);
	cards_done(&manager->cards);
	watch_stop(&manager->loop, &manager->signals);
	if (signals >= 0)
		close(signals);
	replies_done(&manager->replies);
	accounts_done(&manager->accounts);
	manager->closer = fd_closer_free(manager->closer);
	log_start(NULL, NULL);
	users_done(&manager->users);
	loop_done(&manager->loop);
	root_done(&manager->root);
	if (manager->spare >= 0)
		close(manager->spare);
}
