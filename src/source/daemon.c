/*
 * Memory per process from tt_allocd: tables of all users' programs, clients of the socket protocol,
 * and TT-Metal's files that only root may read. One request per sample; if there is no server, that
 * costs two system calls. server_reports.h adds the answer to the sample.
 */
#include "source/source.h"

#include "basic/clock.h"
#include "proto/server_path.h"
#include "proto/wire.h"
#include "source/server.h"
#include "source/server_reports.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Maximum time for an answer: a list of a million allocations is 32 MB. */
static const int64_t timeout_ns = 300 * NS_PER_MS, list_timeout_ns = 2 * NS_PER_S;

/* After a timeout the server is not contacted for this long. */
static const int64_t pause_ns = 10 * NS_PER_S;

struct daemon {
	int fd;			   /* kept open between samples; -1: none */
	bool old;		   /* an older server, which sends no streams */
	char why[SERVER_WHY_SIZE]; /* why the server refused the last request; may be empty */
	int64_t late_until;	   /* CLOCK_MONOTONIC; 0: the last answer came in time */
};

/* Is there a server to ask? A recorded machine has none. */
static bool has_server(const struct sample *sample)
{
	return (sample->want->processes || sample->want->accounts) &&
	       (sample->root->live || server_path_is_set());
}

static void daemon_hang_up(struct daemon *daemon)
{
	if (daemon->fd >= 0)
		close(daemon->fd);
	daemon->fd = -1;
}

static int daemon_try(struct daemon *daemon, const struct want *want, struct server_answer *ret)
{
	uint32_t flags = (want->allocations ? WIRE_WANT_ALLOCATIONS : 0) |
			 (want->accounts ? WIRE_WANT_FINISHED : 0) |
			 (daemon->old ? 0 : WIRE_WANT_STREAM);
	int64_t patience = want->allocations ? list_timeout_ns : timeout_ns;
	int r;

	if (daemon->fd < 0)
		daemon->fd = server_connect();
	if (daemon->fd < 0)
		return daemon->fd;
	r = server_ask(daemon->fd, flags, 0, patience, ret, daemon->why);
	if (r < 0)
		daemon_hang_up(daemon);
	return r;
}

/*
 * An open connection may have outlived its server: then a new one is tried. A server that rejects
 * the request itself is an older one.
 */
static int daemon_ask(struct daemon *daemon, const struct want *want, struct server_answer *ret)
{
	bool kept = daemon->fd >= 0;
	int r = daemon_try(daemon, want, ret);

	if (r < 0 && r != -ETIMEDOUT && r != -EAGAIN && kept) {
		daemon->old = false;
		r = daemon_try(daemon, want, ret);
	}
	if (r == -EBADMSG && daemon->why[0] && !daemon->old) {
		daemon->old = true;
		r = daemon_try(daemon, want, ret);
	}
	return r;
}

static int daemon_sample(void *state, struct sample *sample)
{
	struct daemon *daemon = state;
	struct server_answer answer;
	int r;

	sample->absent = !has_server(sample);
	if (sample->absent)
		return 0;
	sample->snapshot->server_unresponsive = clock_now(CLOCK_MONOTONIC) < daemon->late_until;
	if (sample->snapshot->server_unresponsive)
		return -ETIMEDOUT;
	r = daemon_ask(daemon, sample->want, &answer);
	sample->snapshot->server_unresponsive = r == -ETIMEDOUT;
	daemon->late_until = r == -ETIMEDOUT ? clock_now(CLOCK_MONOTONIC) + pause_ns : 0;
	sample->absent = r == -ENOENT || r == -ECONNREFUSED || r == -ENOTDIR;
	if (sample->absent)
		return 0; /* which is not an error */
	if (r < 0 && daemon->why[0]) {
		snapshot_add_problem(sample->snapshot, "daemon", "the allocation server: %s",
				     daemon->why);
		return 0;
	}
	if (r < 0)
		return r;
	r = server_reports_add(sample, &answer.view);
	server_answer_done(&answer);
	return r;
}

static int daemon_open(const struct root *root, void **ret_state)
{
	struct daemon *daemon = calloc(1, sizeof(*daemon));

	(void)root;
	if (!daemon)
		return -ENOMEM;
	daemon->fd = -1;
	*ret_state = daemon;
	return 0;
}

static void daemon_close(void *state, struct worker_pool *workers)
{
	struct daemon *daemon = state;

	(void)workers;
	daemon_hang_up(daemon);
	free(daemon);
}

const struct source source_daemon = {
	.name = "daemon",
	.open = daemon_open,
	.sample = daemon_sample,
	.close = daemon_close,
};
