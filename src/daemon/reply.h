/*
 * An answer on its way: bytes that no longer change, sent in pieces over the socket as its readers
 * take them.
 *
 * Equal questions that wait at the same time share one. Each user with a connection that
 * waits for it is charged for its bytes (LIMIT_PENDING) until the last of its connections has
 * sent it, so what the server keeps for a user is bounded, whatever the user's programs read or
 * keep.
 */
#pragma once

#include "basic/macros.h"
#include "daemon/list.h"
#include "daemon/users.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What makes two questions equal. */
struct reply_key {
	uint32_t flags, pid;
	uid_t uid; /* whose single allocations it lists; if none, the same for everybody */
};

struct reply_holder {
	struct user *user;
	uint32_t references;
};

struct reply {
	struct replies *replies;
	struct list member;
	struct reply_key key;
	bool shared;	 /* may answer others too */
	int64_t made_ns; /* CLOCK_MONOTONIC, before the first byte was written */
	char *data;
	size_t length;
	struct reply_holder *holders;
	size_t n_holders;
};

struct replies {
	struct list list; /* newest last */
	size_t idle;	  /* bytes of those that no connection waits for */
};

void replies_init(struct replies *replies);
void replies_done(struct replies *replies);

/*
 * Takes the bytes, from malloc(); key NULL: for one asker only. NULL: no memory, and
 * they are freed.
 */
struct reply *reply_new(struct replies *replies, const struct reply_key *key, int64_t made_ns,
			char *data, size_t length);

/* One that was made since then; NULL: none. */
struct reply *replies_find(struct replies *replies, const struct reply_key *key, int64_t since_ns);

/* Holds it for a user. -EAGAIN: the user has too much pending. -ENOMEM. */
MUST_CHECK int reply_hold(struct reply *reply, struct user *user);
void reply_release(struct reply *reply, struct user *user);

/* Frees those that no connection waits for: no question is left that could share them. */
void replies_trim(struct replies *replies);

/* Bytes in units of LIMIT_PENDING. */
uint32_t reply_units(size_t length);
