/*
 * Limits on all server resources that clients can consume: in total, and per user. The manual has
 * the same table (a test compares them); --limit NAME=N changes a total, --limit user-NAME=N the
 * share of one user.
 */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum limit {
	LIMIT_CLIENTS,	 /* connections after their first message, and adopted tables */
	LIMIT_NEW,	 /* connections before their first message */
	LIMIT_HANDSHAKE, /* ms until the first message */
	LIMIT_SLOTS,	 /* allocations listed per client */
	LIMIT_CPU,	 /* ms per second spent on answers for users other than root */
	LIMIT_PENDING,	 /* KiB of unread answers */
	LIMIT_REFUSED,	 /* connections with an unread refusal */
	LIMIT_FINISHED,	 /* accounts of finished processes */
	LIMIT_HELD,	 /* allocations stored for legacy clients */
	LIMIT_LOG,	 /* log lines per second, of each kind */
	LIMITS,
};

struct limit_info {
	const char *name, *help;
	uint32_t usual, share; /* defaults; share 0: the limit has no share per user */
	uint32_t least, most;
};

extern const struct limit_info limit_infos[LIMITS];

struct limits {
	uint32_t value[LIMITS];
	uint32_t share[LIMITS]; /* per user */
	bool given[LIMITS];	/* set by --limit NAME=N */
};

void limits_init(struct limits *limits);

/* "NAME=N" or "user-NAME=N". -EINVAL: malformed or unknown name; -ERANGE: invalid number. */
MUST_CHECK int limits_parse(struct limits *limits, const char *text);
