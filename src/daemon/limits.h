/*
 * Everything that clients can make the server spend, bounded: in all, and per user. The manual has
 * the same table (a test compares them); --limit NAME=N changes a bound for all,
 * --limit user-NAME=N the share of one user.
 */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum limit {
	LIMIT_CLIENTS,	 /* connections past their first message, and adopted tables */
	LIMIT_NEW,	 /* connections that have not sent a message yet */
	LIMIT_HANDSHAKE, /* ms until the first message */
	LIMIT_SLOTS,	 /* single allocations listed of one client */
	LIMIT_CPU,	 /* ms per second spent on answers, of users other than root */
	LIMIT_PENDING,	 /* KiB of answers that were not read yet */
	LIMIT_REFUSED,	 /* connections whose refusal was not read yet */
	LIMIT_FINISHED,	 /* processes remembered */
	LIMIT_HELD,	 /* single allocations kept for legacy clients */
	LIMIT_LOG,	 /* lines in the log per second, of each kind */
	LIMITS,
};

struct limit_info {
	const char *name, *help;
	uint32_t usual, share; /* share 0: has none */
	uint32_t least, most;
};

extern const struct limit_info limit_infos[LIMITS];

struct limits {
	uint32_t value[LIMITS];
	uint32_t share[LIMITS]; /* of one user */
	bool given[LIMITS];	/* by --limit NAME=N */
};

void limits_init(struct limits *limits);

/* "NAME=N" or "user-NAME=N". -EINVAL: not of this form or no such name, -ERANGE: no such number. */
MUST_CHECK int limits_parse(struct limits *limits, const char *text);
