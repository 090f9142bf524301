#include "daemon/quotas.h"

#include "basic/clock.h"

#include <assert.h>
#include <errno.h>

void quotas_done(struct quotas *quotas)
{
	free(quotas->list);
	*quotas = (struct quotas){ 0 };
}

static struct quota *quota_find(struct quotas *quotas, uid_t uid)
{
	for (size_t i = 0; i < quotas->count; i++) {
		if (quotas->list[i].uid == uid)
			return &quotas->list[i];
	}
	return NULL;
}

/*
 * Whoever has nothing open is forgotten when there is no room for others, not at once:
 * a user who comes back has still used up what he asked for.
 */
static void quotas_sweep(struct quotas *quotas)
{
	size_t kept = 0;

	for (size_t i = 0; i < quotas->count; i++)
		if (quotas->list[i].clients || quotas->list[i].fresh)
			quotas->list[kept++] = quotas->list[i];
	quotas->count = kept;
}

static struct quota *quota_get(struct quotas *quotas, uid_t uid)
{
	struct quota *quota = quota_find(quotas, uid);

	if (quota)
		return quota;
	if (quotas->count == quotas->room)
		quotas_sweep(quotas);
	if (quotas->count == quotas->room) {
		size_t room = MAX(quotas->room * 2, 16);
		struct quota *list = reallocarray(quotas->list, room, sizeof(*list));

		if (!list)
			return NULL;
		quotas->list = list;
		quotas->room = room;
	}
	quota = &quotas->list[quotas->count++];
	*quota = (struct quota){ .uid = uid };
	return quota;
}

/* Root is bound by the limits for all only. */
static bool is_full(uint32_t all, uint32_t limit, uid_t uid, uint32_t own, uint32_t own_limit)
{
	return all >= limit || (uid != 0 && own >= own_limit);
}

int quotas_add_fresh(struct quotas *quotas, const struct limits *limits, uid_t uid)
{
	struct quota *quota = quota_get(quotas, uid);

	if (!quota)
		return -ENOMEM;
	if (is_full(quotas->fresh, limits->value[LIMIT_NEW], uid, quota->fresh,
		    limits->value[LIMIT_USER_NEW]))
		return -EUSERS;
	quota->fresh++;
	quotas->fresh++;
	return 0;
}

int quotas_add_client(struct quotas *quotas, const struct limits *limits, uid_t uid)
{
	struct quota *quota = quota_get(quotas, uid);

	if (!quota)
		return -ENOMEM;
	if (is_full(quotas->clients, limits->value[LIMIT_CLIENTS], uid, quota->clients,
		    limits->value[LIMIT_USER_CLIENTS]))
		return -EUSERS;
	quota->clients++;
	quotas->clients++;
	return 0;
}

void quotas_drop_fresh(struct quotas *quotas, uid_t uid)
{
	struct quota *quota = quota_find(quotas, uid);

	assert(quota && quota->fresh > 0);
	quota->fresh--;
	quotas->fresh--;
}

void quotas_drop_client(struct quotas *quotas, uid_t uid)
{
	struct quota *quota = quota_find(quotas, uid);

	assert(quota && quota->clients > 0);
	quota->clients--;
	quotas->clients--;
}

uint32_t quotas_ration(struct quotas *quotas, const struct limits *limits, uid_t uid,
		       int64_t now_ns)
{
	double rate = limits->value[LIMIT_SNAPSHOTS];
	struct quota *quota = quota_find(quotas, uid);

	assert(quota);
	if (quota->rationed_ns)
		quota->spent -= (double)(now_ns - quota->rationed_ns) / NS_PER_S * rate;
	quota->spent = MAX(quota->spent, 0);
	quota->rationed_ns = now_ns;
	if (quota->spent > rate - 1)
		return (uint32_t)((quota->spent - (rate - 1)) / rate * 1000) + 1;
	quota->spent++;
	return 0;
}
