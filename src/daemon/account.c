#include "daemon/account.h"

#include "basic/clock.h"

#include <errno.h>
#include <string.h>

int accounts_init(struct accounts *accounts, uint32_t size)
{
	*accounts = (struct accounts){
		.ring = calloc(size, sizeof(*accounts->ring)),
		.size = size,
		.first = 1,
		.next = 1,
	};
	return accounts->ring ? 0 : -ENOMEM;
}

static void accounts_forget_first(struct accounts *accounts)
{
	struct accounts_entry *account = &accounts->ring[accounts->first++ % accounts->size];

	accounts->usages -= account->n_usages;
	free(account->usages);
	*account = (struct accounts_entry){ 0 };
}

void accounts_done(struct accounts *accounts)
{
	while (accounts->first < accounts->next)
		accounts_forget_first(accounts);
	free(accounts->ring);
	*accounts = (struct accounts){ 0 };
}

uint64_t accounts_add(struct accounts *accounts, const struct image_process *process,
		      const struct image_usage *usages, uint32_t n_usages)
{
	struct image_usage *copy = NULL;
	struct accounts_entry *account;

	accounts->total++;
	if (n_usages) {
		copy = malloc(n_usages * sizeof(*copy));
		if (!copy)
			return 0;
		memcpy(copy, usages, n_usages * sizeof(*copy));
	}
	while (accounts->next - accounts->first == accounts->size ||
	       (accounts->first < accounts->next &&
		accounts->usages + n_usages > ACCOUNT_USAGES_MAX))
		accounts_forget_first(accounts);

	account = &accounts->ring[accounts->next % accounts->size];
	*account = (struct accounts_entry){
		.serial = accounts->next++,
		.process = *process,
		.usages = copy,
		.n_usages = n_usages,
	};
	account->process.flags |= IMAGE_FINISHED;
	if (!account->process.ended_ns)
		account->process.ended_ns = (uint64_t)clock_now(CLOCK_REALTIME);
	accounts->usages += n_usages;
	return account->serial;
}

struct accounts_entry *accounts_find(struct accounts *accounts, uint64_t serial)
{
	if (serial < accounts->first || serial >= accounts->next)
		return NULL;
	return &accounts->ring[serial % accounts->size];
}
