#include "serve/budget.h"

#include "basic/clock.h"

#include <string.h>

/* A nanosecond of an answer is paid off in this many; refused while more than this is owed. */
enum { SHARE_OF_ALL = 2, SHARE_OF_ADDRESS = 4 };
static const int64_t most_owed_ns = 500 * NS_PER_MS;

static bool is_spent(int64_t paid_ns, int64_t now_ns)
{
	return paid_ns - now_ns > most_owed_ns;
}

enum budget_answer budget_ask(const struct budget *budget, const struct address_key *key,
			      int64_t now_ns)
{
	for (size_t i = 0; i < BUDGET_ADDRESSES; i++)
		if (memcmp(&budget->addresses[i].key, key, sizeof(*key)) == 0 &&
		    is_spent(budget->addresses[i].paid_ns, now_ns))
			return BUDGET_OF_ADDRESS_SPENT;
	return is_spent(budget->paid_ns, now_ns) ? BUDGET_SPENT : BUDGET_ALLOWED;
}

/* The place of an address; if it has none, that of the one that owes the least. */
static size_t place_of(const struct budget *budget, const struct address_key *key)
{
	size_t least = 0;

	for (size_t i = 0; i < BUDGET_ADDRESSES; i++) {
		if (memcmp(&budget->addresses[i].key, key, sizeof(*key)) == 0)
			return i;
		if (budget->addresses[i].paid_ns < budget->addresses[least].paid_ns)
			least = i;
	}
	return least;
}

void budget_charge(struct budget *budget, const struct address_key *key, int64_t now_ns,
		   int64_t cost_ns)
{
	size_t i = place_of(budget, key);
	int64_t *paid = &budget->addresses[i].paid_ns;

	if (memcmp(&budget->addresses[i].key, key, sizeof(*key)) != 0)
		*paid = 0;
	budget->addresses[i].key = *key;
	*paid = MAX(*paid, now_ns) + cost_ns * SHARE_OF_ADDRESS;
	budget->paid_ns = MAX(budget->paid_ns, now_ns) + cost_ns * SHARE_OF_ALL;
}
