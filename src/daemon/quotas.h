/*
 * How many connections each user has and what he asks for: for limits that one user
 * cannot use up for all.
 */
#pragma once

#include "basic/macros.h"
#include "daemon/limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct quota {
	uid_t uid;
	uint32_t clients;    /* past their first message */
	uint32_t fresh;	     /* before it */
	double spent;	     /* answers, less what time has given back */
	int64_t rationed_ns; /* CLOCK_MONOTONIC, when that was reckoned */
};

struct quotas {
	struct quota *list; /* of those who have any, or had */
	size_t count, room;
	uint32_t clients, fresh; /* of all */
};

void quotas_done(struct quotas *quotas);

/* One more. -EUSERS: the limit is reached, in all or of this user. -ENOMEM. */
MUST_CHECK int quotas_add_fresh(struct quotas *quotas, const struct limits *limits, uid_t uid);
MUST_CHECK int quotas_add_client(struct quotas *quotas, const struct limits *limits, uid_t uid);

/* One less. */
void quotas_drop_fresh(struct quotas *quotas, uid_t uid);
void quotas_drop_client(struct quotas *quotas, uid_t uid);

/* May a user who has a connection ask? 0 if so, and it counts; or milliseconds until he may. */
MUST_CHECK uint32_t quotas_ration(struct quotas *quotas, const struct limits *limits, uid_t uid,
				  int64_t now_ns);
