/*
 * An answer that is being sent: immutable bytes, sent in pieces as its readers consume them.
 *
 * Equal requests that wait at the same time share one. Each user with a connection that waits for
 * it is charged for its bytes (LIMIT_PENDING) until the last of its connections has sent it, so the
 * memory used per user is bounded, whatever the user's programs do.
 */
#pragma once

#include "basic/macros.h"
#include "daemon/list.h"
#include "daemon/users.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Requests with equal keys have the same answer. */
struct reply_key {
	uint32_t flags, pid;
	uid_t uid; /* user whose allocations it lists; unused if it lists none */
};

struct reply_holder {
	struct user *user;
	uint32_t references;
};

struct reply {
	struct replies *replies;
	struct list member;
	struct reply_key key;
	bool shared;	 /* may be used for other requests */
	int64_t made_ns; /* CLOCK_MONOTONIC, when building it began */
	char *data;
	size_t length;
	struct reply_holder *holders;
	size_t n_holders;
};

struct replies {
	struct list list; /* newest last */
	size_t idle;	  /* bytes of those without a waiting connection */
};

void replies_init(struct replies *replies);
void replies_done(struct replies *replies);

/*
 * Takes ownership of the bytes (from malloc()). key NULL: not shared. NULL: out of memory, and the
 * bytes are freed.
 */
struct reply *reply_new(struct replies *replies, const struct reply_key *key, int64_t made_ns,
			char *data, size_t length);

/* An answer made since then; NULL: none. */
struct reply *replies_find(struct replies *replies, const struct reply_key *key, int64_t since_ns);

/* Adds a reference for a user. -EAGAIN: the user has too many unread answers. -ENOMEM. */
MUST_CHECK int reply_hold(struct reply *reply, struct user *user);
void reply_release(struct reply *reply, struct user *user);

/* Frees answers without a waiting connection: no request is left that could share them. */
void replies_trim(struct replies *replies);

/* Converts bytes to units of LIMIT_PENDING. */
uint32_t reply_units(size_t length);
