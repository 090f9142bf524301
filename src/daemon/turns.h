/*
 * Fair scheduling of work that takes time: round-robin over users, and over the connections of each
 * user.
 *
 * The loop queues work here; after each batch of events it runs queued work for a few milliseconds
 * and then checks its descriptors again. So a user with many connections delays another one by a
 * single turn, and the end of a process or a new connection is noticed within a few milliseconds.
 *
 * The time of each turn is charged to its user, see user_charge().
 */
#pragma once

#include "basic/macros.h"
#include "daemon/list.h"

#include <stdbool.h>
#include <stdint.h>

struct user;

struct turn {
	struct list member; /* in the user's list of turns */
	struct user *user;
	/* May free its object, or queue it again. Returns whether its time is charged. */
	bool (*run)(struct turn *turn);
	bool queued;
	int64_t since_ns; /* CLOCK_MONOTONIC, when it was queued */
};

struct turns {
	struct list users; /* users with queued turns */
};

void turns_init(struct turns *turns);

/* Queues it, unless it is queued already. */
void turn_queue(struct turns *turns, struct turn *turn);
void turn_drop(struct turn *turn);

bool turns_are_left(const struct turns *turns);

/* Runs turns for a few milliseconds, at least one if any is queued. */
void turns_run(struct turns *turns);
