/*
 * The users of the server, and the resources that each of them consumes.
 *
 * Each limit has a share per user. A user other than root also gets no more than what is still
 * free: if n users take all they can get, each has 1/(n+1) of the total, and as much is left for
 * the next one. An eighth of each limit is reserved for root. The user that runs the server counts
 * as root here.
 *
 * A user that owns subordinate uids (subuid(5)) counts as one user together with them: otherwise a
 * user namespace would make it 65,536 users.
 */
#pragma once

#include "basic/macros.h"
#include "daemon/limits.h"
#include "daemon/list.h"
#include "daemon/log_rate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A token bucket: cost in ns that has not been refilled yet. */
struct bucket {
	double spent;
	int64_t at_ns; /* CLOCK_MONOTONIC */
};

struct user {
	struct users *users;
	struct list member;
	uint32_t references;
	uid_t uid; /* the owner's if it is a subordinate uid */
	uint32_t used[LIMITS];
	struct log_rate log[LOG_KINDS];
	struct list accounts; /* struct accounts_entry, oldest first */
	uint32_t usages;      /* total of these accounts */
	struct list turn;     /* in the list of users with queued turns, see turns.h */
	struct list turns;    /* struct turn */
	struct bucket cost;
	unsigned discards; /* running discards, see fd_closer.h */
};

struct subordinate_range {
	uid_t first, count, owner;
};

struct users {
	const struct limits *limits;
	struct list list; /* struct user */
	size_t count;
	uint32_t used[LIMITS];
	struct bucket cost; /* total of all users other than root */
	struct subordinate_range *ranges;
	size_t n_ranges;
};

/* Reads /etc/subuid; if that fails, every uid is a separate user. */
void users_init(struct users *users, const struct limits *limits);
void users_done(struct users *users);

/* The user of a process with this effective uid, with a reference. NULL: out of memory. */
struct user *users_get(struct users *users, uid_t uid);
struct user *user_ref(struct user *user);

/* Takes NULL, returns NULL. Its spent CPU time is kept for a while. */
struct user *user_unref(struct user *user);

bool user_is_privileged(const struct user *user);

/* user_room(): how much more it may take. user_take(): -EUSERS if the limit is reached. */
uint32_t user_room(const struct user *user, enum limit limit);
MUST_CHECK int user_take(struct user *user, enum limit limit);
/* Counts what is in use already, even beyond the limit. */
void user_count(struct user *user, enum limit limit, uint32_t count);

void user_give_back(struct user *user, enum limit limit, uint32_t count);

/*
 * Charges the cost of answering a request, in ns. user_wait_ms(): how long the user has to wait
 * because its share of a second is used up; 0 if it need not. Root never waits.
 */
void user_charge(struct user *user, int64_t cost_ns);
MUST_CHECK uint32_t user_wait_ms(struct user *user);
