/*
 * Everything that others can make the server spend, bounded. docs/protocol.md
 * has the same figures; --limit NAME=N changes one.
 */
#pragma once

#include "basic/macros.h"

#include <stddef.h>
#include <stdint.h>

enum limit {
	LIMIT_CLIENTS,	    /* connections and adopted tables in all */
	LIMIT_USER_CLIENTS, /* the same of one user other than root */
	LIMIT_NEW,	    /* connections that have not sent a message yet */
	LIMIT_USER_NEW,	    /* the same of one user */
	LIMIT_HANDSHAKE,    /* ms until the first message */
	LIMIT_SLOTS,	    /* single allocations listed of one client */
	LIMIT_SNAPSHOTS,    /* of one user per second */
	LIMIT_FINISHED,	    /* processes remembered */
	LIMIT_HELD,	    /* single allocations kept for all legacy clients together */
	LIMITS,
};

struct limit_info {
	const char *name, *help;
	uint32_t usual, least, most;
};

extern const struct limit_info limit_infos[LIMITS];

struct limits {
	uint32_t value[LIMITS];
};

void limits_init(struct limits *limits);

/* "NAME=N". -EINVAL: not of this form or no such name, -ERANGE: no such number. */
MUST_CHECK int limits_parse(struct limits *limits, const char *text);
