#include "daemon/account.h"

#include "basic/clock.h"

#include <errno.h>
#include <string.h>

void accounts_init(struct accounts *accounts, struct users *users)
{
	*accounts = (struct accounts){ .users = users };
	list_init(&accounts->list);
}

static void accounts_forget(struct accounts *accounts, struct accounts_entry *account)
{
	struct user *user = account->user;

	accounts->count--;
	accounts->usages -= account->n_usages;
	user->usages -= account->n_usages;
	user_give_back(user, LIMIT_FINISHED, 1);
	user_unref(user);
	list_remove(&account->member);
	list_remove(&account->of_user);
	free(account);
}

void accounts_done(struct accounts *accounts)
{
	if (!accounts->users)
		return;
	for (LIST_EACH(at, &accounts->list))
		accounts_forget(accounts, accounts_entry_of(at));
	*accounts = (struct accounts){ 0 };
}

static void accounts_forget_of(struct accounts *accounts, struct user *user)
{
	accounts_forget(accounts,
			container_of(user->accounts.next, struct accounts_entry, of_user));
}

/* The user with the most usages or accounts; of several, the one seen earliest. */
static struct user *accounts_largest(const struct accounts *accounts, bool usages)
{
	struct user *largest = NULL;

	for (LIST_EACH(at, &accounts->users->list)) {
		struct user *user = container_of(at, struct user, member);
		uint32_t own = usages ? user->usages : user->used[LIMIT_FINISHED];

		if (own &&
		    (!largest || own > (usages ? largest->usages : largest->used[LIMIT_FINISHED])))
			largest = user;
	}
	return largest;
}

static bool user_is_over(const struct user *user, uint32_t n_usages)
{
	const struct limits *limits = user->users->limits;

	return !user_is_privileged(user) && user->used[LIMIT_FINISHED] &&
	       (user->used[LIMIT_FINISHED] >= limits->share[LIMIT_FINISHED] ||
		user->usages + n_usages > ACCOUNT_USAGES_USER_MAX);
}

static void accounts_make_room(struct accounts *accounts, struct user *user, uint32_t n_usages)
{
	const struct limits *limits = accounts->users->limits;

	while (user_is_over(user, n_usages))
		accounts_forget_of(accounts, user);
	while (accounts->count >= limits->value[LIMIT_FINISHED])
		accounts_forget_of(accounts, accounts_largest(accounts, false));
	while (accounts->count && accounts->usages + n_usages > ACCOUNT_USAGES_MAX)
		accounts_forget_of(accounts, accounts_largest(accounts, true));
}

uint64_t accounts_add(struct accounts *accounts, const struct image_process *process,
		      const struct image_usage *usages, uint32_t n_usages)
{
	struct accounts_entry *account = malloc(sizeof(*account) + n_usages * sizeof(*usages));
	struct user *user = users_get(accounts->users, process->uid);

	accounts->total++;
	if (!account || !user) {
		user_unref(user);
		free(account);
		return 0;
	}
	accounts_make_room(accounts, user, n_usages);
	*account = (struct accounts_entry){
		.user = user,
		.serial = ++accounts->last,
		.process = *process,
		.n_usages = n_usages,
	};
	if (n_usages)
		memcpy(account->usages, usages, n_usages * sizeof(*usages));
	account->process.flags |= IMAGE_FINISHED;
	if (!account->process.ended_ns)
		account->process.ended_ns = (uint64_t)clock_now(CLOCK_REALTIME);
	list_append(&accounts->list, &account->member);
	list_append(&user->accounts, &account->of_user);
	accounts->count++;
	accounts->usages += n_usages;
	user->usages += n_usages;
	user_count(user, LIMIT_FINISHED, 1);
	return account->serial;
}

struct accounts_entry *accounts_find(struct accounts *accounts, uint64_t serial)
{
	for (struct list *at = accounts->list.previous; at != &accounts->list; at = at->previous) {
		struct accounts_entry *account = accounts_entry_of(at);

		if (account->serial == serial)
			return account;
		if (account->serial < serial)
			break;
	}
	return NULL;
}
