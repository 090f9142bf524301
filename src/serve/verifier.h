/*
 * The thread that verifies passwords, so that bcrypt delays no other request. Its queue is bounded.
 */
#pragma once

#include "basic/macros.h"
#include "serve/users.h"

#include <stdbool.h>
#include <stdint.h>

enum { VERIFIER_QUEUE = 64 };

/* A password to verify; part of a struct of the caller. */
struct verification {
	struct auth_users *users; /* with a reference */
	char name[MAX_USER_NAME + 1], password[MAX_PASSWORD + 1];
	int64_t deadline_ns; /* CLOCK_MONOTONIC; after it, its client has gone */
	bool urgent;
	bool right, late; /* the result; late: it was not verified */
	struct verification *next;
};

struct verifier;

MUST_CHECK int verifier_new(struct verifier **ret);

/* Waits for the one that is being verified; calls end() for it and for those that wait. */
void verifier_free(struct verifier *verifier, void (*end)(struct verification *verification));

/* Queues it. -EAGAIN: the queue is full. One that is urgent is the next, and always has room. */
MUST_CHECK int verifier_add(struct verifier *verifier, struct verification *verification);

/* Readable when there are results. */
int verifier_fd(const struct verifier *verifier);

/* One that is finished; NULL: there is none. */
struct verification *verifier_take(struct verifier *verifier);
