/*
 * The users of the server, and what each of them makes it spend.
 *
 * Each limit has a share per user. A user other than root also gets no more than what is still
 * free: with n users that take all they can get, each has 1/(n+1) of the whole, and as much
 * is left for the next one. An eighth of each limit is for root alone. The user that runs the
 * server counts as root here.
 *
 * A user that owns subordinate uids (subuid(5)) counts as one user together with them: it
 * could otherwise be 65,536 users at once, by a user namespace.
 */
#pragma once

#include "basic/macros.h"
#include "daemon/limits.h"
#include "daemon/list.h"
#include "daemon/log_ration.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Cost in ns, less what time has given back: a token bucket, upside down. */
struct bucket {
	double spent;
	int64_t at_ns; /* CLOCK_MONOTONIC */
};

struct user {
	struct users *users;
	struct list member;
	uint32_t references;
	uid_t uid; /* owner of the subordinate uids, if it was one */
	uint32_t used[LIMITS];
	struct log_ration log[LOG_KINDS];
	struct list accounts; /* struct accounts_entry, oldest first */
	uint32_t usages;      /* of these accounts */
	struct list turn;     /* among users that wait for one, see turns.h */
	struct list turns;    /* struct turn */
	struct bucket cost;
	unsigned discards; /* that are under way, see fd_closer.h */
};

struct subordinate_range {
	uid_t first, count, owner;
};

struct users {
	const struct limits *limits;
	struct list list; /* struct user */
	size_t count;
	uint32_t used[LIMITS];
	struct bucket cost; /* of all users other than root */
	struct subordinate_range *ranges;
	size_t n_ranges;
};

/* Reads /etc/subuid; without it every uid is a user. */
void users_init(struct users *users, const struct limits *limits);
void users_done(struct users *users);

/* The user of a process with this effective uid, referenced. NULL: no memory. */
struct user *users_get(struct users *users, uid_t uid);
struct user *user_ref(struct user *user);

/* Takes NULL, returns NULL. What it spent is remembered for a while. */
struct user *user_unref(struct user *user);

bool user_is_privileged(const struct user *user);

/* How much more this user may take, and taking it. -EUSERS: the limit is reached. */
uint32_t user_room(const struct user *user, enum limit limit);
MUST_CHECK int user_take(struct user *user, enum limit limit);
/* Counts what was taken already, limit or not. */
void user_count(struct user *user, enum limit limit, uint32_t count);

void user_give_back(struct user *user, enum limit limit, uint32_t count);

/*
 * What answering its questions costs, in ns, is charged to the user. Once its share of a
 * second is used up it has to wait: for how many ms, and 0 if it may ask. Root never waits.
 */
void user_charge(struct user *user, int64_t cost_ns);
MUST_CHECK uint32_t user_wait_ms(struct user *user);
