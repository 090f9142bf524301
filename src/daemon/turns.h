/*
 * Work that takes time, shared out fairly: users take turns, and of each user its connections do.
 *
 * What is ready is queued here when the loop sees it; after each batch of events the loop gives
 * turns for a few milliseconds and then looks at its descriptors again. So a user with many
 * connections delays another one by a single turn, and the end of a process or a new connection
 * waits for a few milliseconds at most.
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
	struct list member; /* of the user's turns */
	struct user *user;
	/* May free its object, and may queue it again. Returns whether its time is charged. */
	bool (*run)(struct turn *turn);
	bool queued;
	int64_t since_ns; /* CLOCK_MONOTONIC, when it was queued */
};

struct turns {
	struct list users; /* those with a turn to come */
};

void turns_init(struct turns *turns);

/* Queues it, unless it is queued already. */
void turn_queue(struct turns *turns, struct turn *turn);
void turn_drop(struct turn *turn);

bool turns_are_left(const struct turns *turns);

/* Gives turns for a moment, at least one if any is queued. */
void turns_run(struct turns *turns);
