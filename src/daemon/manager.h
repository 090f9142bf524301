/*
 * The server's state: who is connected, what they hold, who has gone, which cards there are.
 * Everything else is a file of functions over it.
 */
#pragma once

#include "basic/root.h"
#include "basic/macros.h"
#include "daemon/account.h"
#include "daemon/cards.h"
#include "daemon/device_filter.h"
#include "daemon/limits.h"
#include "daemon/listener.h"
#include "daemon/list.h"
#include "daemon/loop.h"
#include "daemon/observer.h"
#include "daemon/options.h"
#include "daemon/reply.h"
#include "daemon/tracer.h"
#include "daemon/turns.h"
#include "daemon/users.h"

#include <stdint.h>

struct fd_closer;

/* A process on one pool of one device, for every device and pool there can be. */
#define USAGES_MAX (TABLE_DEVICES * POOL_COUNT)

/* What all programs with tables hold together, by place: see legacy_answer.c. */
enum { SUMS_PLACES = 2 * TABLE_DEVICES };
struct sums {
	int64_t taken_ns; /* CLOCK_MONOTONIC */
	uint64_t bytes[SUMS_PLACES][POOL_COUNT];
};

struct manager {
	struct loop loop;
	const struct options *options;
	struct limits limits;
	struct root root;
	struct observer *observer;
	struct fd_closer *closer;
	struct list parked;    /* struct connection: their answers wait for the observer */
	struct timer unpark;   /* they do not wait longer */
	struct timer begin;    /* nor does the start */
	unsigned adopted;      /* tables found at the start */
	bool searched, serves; /* for tables; clients */
	int failed;	       /* -errno: why it does not */
	struct listener own, legacy;
	struct watch signals;
	struct users users;
	struct turns turns;
	struct replies replies;		/* on their way */
	struct list connections;	/* struct connection */
	struct list reporters;		/* struct reporter */
	struct list legacy_connections; /* struct legacy_connection */
	struct list exit_watches;	/* struct exit_watch */
	uint32_t n_lives;
	struct timer look; /* at who is traced */
	struct tracer tracer;
	pid_t tracer_left; /* by the server before; 0: none */
	uint32_t n_exit_watches;
	struct sums sums;
	struct accounts accounts;
	struct cards cards;
	struct device_filters filters;
	int64_t start_ns; /* CLOCK_REALTIME */
	int spare;	  /* a descriptor given up to refuse a connection when there is none left */
	bool again;	  /* SIGHUP: to be executed again */
	struct image_usage usages[USAGES_MAX]; /* of the process being looked at */
};

/* Half-built on failure: manager_done() takes it. Says what went wrong. */
MUST_CHECK int manager_init(struct manager *manager, const struct options *options);
/* Keeps a connection waiting for what the observer sees; connection_unpark() ends it. */
void manager_park(struct manager *manager, struct list *member);

/* Asks the observer for what it sees, unless that is known or under way. */
void manager_look(struct manager *manager);

MUST_CHECK int manager_run(struct manager *manager);
/* Sends answers that are due, and closes connections that do not take theirs. */
void manager_drain(struct manager *manager);
void manager_done(struct manager *manager);
