#include "daemon/quotas.h"

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

static struct quota *quota_get(struct quotas *quotas, uid_t uid)
{
	struct quota *quota = quota_find(quotas, uid);

	if (quota)
		return quota;
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

static void quota_forget_if_idle(struct quotas *quotas, struct quota *quota)
{
	if (quota->clients == 0 && quota->fresh == 0)
		*quota = quotas->list[--quotas->count];
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
		    limits->value[LIMIT_USER_NEW])) {
		quota_forget_if_idle(quotas, quota);
		return -EUSERS;
	}
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
		    limits->value[LIMIT_USER_CLIENTS])) {
		quota_forget_if_idle(quotas, quota);
		return -EUSERS;
	}
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
	quota_forget_if_idle(quotas, quota);
}

void quotas_drop_client(struct quotas *quotas, uid_t uid)
{
	struct quota *quota = quota_find(quotas, uid);

	assert(quota && quota->clients > 0);
	quota->clients--;
	quotas->clients--;
	quota_forget_if_idle(quotas, quota);
}
