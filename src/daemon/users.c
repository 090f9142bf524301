#include "daemon/users.h"

#include <assert.h>
#include <errno.h>

void users_done(struct users *users)
{
	free(users->list);
	*users = (struct users){ 0 };
}

static struct user *user_find(struct users *users, uid_t uid)
{
	for (size_t i = 0; i < users->count; i++) {
		if (users->list[i].uid == uid)
			return &users->list[i];
	}
	return NULL;
}

static struct user *user_get(struct users *users, uid_t uid)
{
	struct user *user = user_find(users, uid);

	if (user)
		return user;
	if (users->count == users->room) {
		size_t room = MAX(users->room * 2, 16);
		struct user *list = reallocarray(users->list, room, sizeof(*list));

		if (!list)
			return NULL;
		users->list = list;
		users->room = room;
	}
	user = &users->list[users->count++];
	*user = (struct user){ .uid = uid };
	return user;
}

static void user_forget_if_idle(struct users *users, struct user *user)
{
	if (user->clients == 0 && user->fresh == 0)
		*user = users->list[--users->count];
}

/* Root is bound by the limits for all only. */
static bool is_full(uint32_t all, uint32_t limit, uid_t uid, uint32_t own, uint32_t own_limit)
{
	return all >= limit || (uid != 0 && own >= own_limit);
}

int users_add_fresh(struct users *users, const struct limits *limits, uid_t uid)
{
	struct user *user = user_get(users, uid);

	if (!user)
		return -ENOMEM;
	if (is_full(users->fresh, limits->value[LIMIT_NEW], uid, user->fresh,
		    limits->value[LIMIT_USER_NEW])) {
		user_forget_if_idle(users, user);
		return -EUSERS;
	}
	user->fresh++;
	users->fresh++;
	return 0;
}

int users_add_client(struct users *users, const struct limits *limits, uid_t uid)
{
	struct user *user = user_get(users, uid);

	if (!user)
		return -ENOMEM;
	if (is_full(users->clients, limits->value[LIMIT_CLIENTS], uid, user->clients,
		    limits->value[LIMIT_USER_CLIENTS])) {
		user_forget_if_idle(users, user);
		return -EUSERS;
	}
	user->clients++;
	users->clients++;
	return 0;
}

void users_drop_fresh(struct users *users, uid_t uid)
{
	struct user *user = user_find(users, uid);

	assert(user && user->fresh > 0);
	user->fresh--;
	users->fresh--;
	user_forget_if_idle(users, user);
}

void users_drop_client(struct users *users, uid_t uid)
{
	struct user *user = user_find(users, uid);

	assert(user && user->clients > 0);
	user->clients--;
	users->clients--;
	user_forget_if_idle(users, user);
}
