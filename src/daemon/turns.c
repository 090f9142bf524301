#include "daemon/turns.h"

#include "basic/clock.h"
#include "daemon/users.h"

/* Then the loop checks its descriptors again. */
#define TURNS_MOST (10 * NS_PER_MS)

void turns_init(struct turns *turns)
{
	list_init(&turns->users);
}

bool turns_are_left(const struct turns *turns)
{
	return !list_is_empty(&turns->users);
}

void turn_queue(struct turns *turns, struct turn *turn)
{
	if (turn->queued)
		return;
	turn->queued = true;
	turn->since_ns = clock_now(CLOCK_MONOTONIC);
	if (list_is_empty(&turn->user->turns))
		list_append(&turns->users, &turn->user->turn);
	list_append(&turn->user->turns, &turn->member);
}

void turn_drop(struct turn *turn)
{
	if (!turn->queued)
		return;
	turn->queued = false;
	list_remove(&turn->member);
	if (list_is_empty(&turn->user->turns))
		list_remove(&turn->user->turn);
}

/* Runs the next connection of the next user; the user is queued again if it has more. */
static void turn_give(struct turns *turns)
{
	struct user *user = user_ref(container_of(turns->users.next, struct user, turn));
	struct turn *turn = container_of(user->turns.next, struct turn, member);
	int64_t began = clock_now(CLOCK_THREAD_CPUTIME_ID);

	turn_drop(turn);
	if (!list_is_empty(&user->turns)) {
		list_remove(&user->turn);
		list_append(&turns->users, &user->turn);
	}
	if (turn->run(turn))
		user_charge(user, clock_now(CLOCK_THREAD_CPUTIME_ID) - began);
	user_unref(user);
}

void turns_run(struct turns *turns)
{
	int64_t until = clock_now(CLOCK_MONOTONIC) + TURNS_MOST;

	while (turns_are_left(turns)) {
		turn_give(turns);
		if (clock_now(CLOCK_MONOTONIC) >= until)
			return;
	}
}
