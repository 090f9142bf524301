/* How many connections each user has: for limits that one user cannot use up for all. */
#pragma once

#include "basic/macros.h"
#include "daemon/limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct user {
	uid_t uid;
	uint32_t clients; /* past their first message */
	uint32_t fresh;	  /* before it */
};

struct users {
	struct user *list; /* of those who have any */
	size_t count, room;
	uint32_t clients, fresh; /* of all */
};

void users_done(struct users *users);

/* One more. -EUSERS: the limit is reached, in all or of this user. -ENOMEM. */
MUST_CHECK int users_add_fresh(struct users *users, const struct limits *limits, uid_t uid);
MUST_CHECK int users_add_client(struct users *users, const struct limits *limits, uid_t uid);

/* One less. */
void users_drop_fresh(struct users *users, uid_t uid);
void users_drop_client(struct users *users, uid_t uid);
