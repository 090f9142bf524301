/*
 * The server's state: connections, reporters, accounts of finished processes, cards. server.h
 * builds it, runs it and takes it down; modules that serve connections use it.
 */
#pragma once

#include "basic/root.h"
#include "daemon/account.h"
#include "daemon/cards.h"
#include "daemon/client.h"
#include "daemon/device_filter.h"
#include "daemon/exit_watch.h"
#include "daemon/legacy_process.h"
#include "daemon/limits.h"
#include "daemon/listener.h"
#include "daemon/list.h"
#include "daemon/loop.h"
#include "daemon/observed_process.h"
#include "daemon/observer.h"
#include "daemon/options.h"
#include "daemon/reply.h"
#include "daemon/reporter.h"
#include "daemon/tracer.h"
#include "daemon/turns.h"
#include "daemon/users.h"

#include <stdint.h>

struct fd_closer;

/* What all programs with tables hold together, by place: see legacy_answer.c. */
enum { SUMS_PLACES = 2 * TABLE_DEVICES };
struct sums {
	int64_t taken_ns; /* CLOCK_MONOTONIC */
	uint64_t bytes[SUMS_PLACES][POOL_COUNT];
};

struct manager {
	struct loop loop;
	const struct server_options *options;
	struct limits limits;
	struct root root;
	struct observer *observer;
	struct probes *probes; /* the observer's */
	struct fd_closer *closer;
	struct watch signals;
	struct timer begin;    /* the start waits no longer for the observer */
	unsigned adopted;      /* tables found at the start */
	bool searched, serves; /* for tables; clients */
	int failed;	       /* -errno: why it does not serve */
	bool again;	       /* SIGHUP: to be executed again */
	int64_t start_ns;      /* CLOCK_REALTIME */

	struct listener own, legacy;
	int spare; /* a descriptor given up to refuse a connection when there is none left */
	struct users users;
	struct turns turns;
	struct replies replies;		/* on their way */
	struct list connections;	/* struct connection */
	struct list legacy_connections; /* struct legacy_connection */

	struct accounts accounts;
	struct exit_watches exit_watches;
	struct reporters reporters;
	struct clients clients;
	struct legacy_processes legacy_processes;
	struct observed_processes observed;
	struct sums sums;
	struct cards cards;
	struct device_filters filters;
	struct tracer_child tracer;
	pid_t tracer_left; /* by the server before; 0: none */
};
