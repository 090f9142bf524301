/*
 * The server's state: connections, reporters, accounts of finished processes, cards. server.h
 * creates, runs and destroys it. Other modules get the parts that they need: connections from
 * struct connections, answers from struct answers.
 */
#pragma once

#include "basic/root.h"
#include "daemon/account.h"
#include "daemon/answer.h"
#include "daemon/cards.h"
#include "daemon/client.h"
#include "daemon/connection.h"
#include "daemon/device_filter.h"
#include "daemon/exit_watch.h"
#include "daemon/legacy_answer.h"
#include "daemon/legacy_connection.h"
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

struct manager {
	struct loop loop;
	const struct server_options *options;
	struct limits limits;
	struct root root;
	struct observer *observer;
	struct probes *probes; /* of the observer */
	struct fd_closer *closer;
	struct watch signals;
	struct timer begin;    /* limits the wait for the observer at the start */
	unsigned adopted;      /* number of tables found at the start */
	bool searched, serves; /* the search for tables is done; clients are served */
	int failed;	       /* -errno: why it cannot serve */
	bool reexec;	       /* SIGHUP: execute the binary again */

	struct listener own, legacy;
	int spare; /* a spare descriptor, released to refuse a connection when there is none left */
	struct users users;
	struct turns turns;
	struct replies replies; /* being sent */
	struct answers answers;
	struct connections connections;
	struct legacy_answers legacy_answers;
	struct legacy_connections legacy_connections;

	struct accounts accounts;
	struct exit_watches exit_watches;
	struct reporters reporters;
	struct clients clients;
	struct legacy_processes legacy_processes;
	struct observed_processes observed;
	struct cards cards;
	struct device_filters filters;
	struct tracer_child tracer;
	pid_t inherited_tracer; /* left by the server before a re-exec; 0: none */
};
