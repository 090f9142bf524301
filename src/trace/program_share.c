#include "trace/program_share.h"

#include <stdlib.h>

struct program_share *program_share_get(struct program_share **all, uint32_t uid)
{
	struct program_share *share = *all;

	while (share && share->uid != uid)
		share = share->next;
	if (!share) {
		share = calloc(1, sizeof(*share));
		if (!share)
			return NULL;
		share->uid = uid;
		share->work = SHARE_WORK;
		share->next = *all;
		*all = share;
	}
	share->references++;
	return share;
}

struct program_share *program_share_put(struct program_share **all, struct program_share *share)
{
	struct program_share **at = all;

	if (!share || --share->references)
		return NULL;
	while (*at != share)
		at = &(*at)->next;
	*at = share->next;
	free(share);
	return NULL;
}

void program_shares_renew(struct program_share *all)
{
	for (struct program_share *share = all; share; share = share->next) {
		share->n_processes = 0;
		share->work = MIN(share->work + SHARE_WORK, SHARE_WORK);
	}
}

size_t program_share_count(struct program_share *share)
{
	return share->n_processes++;
}

bool program_share_pay(struct program_share *share, int64_t work)
{
	if (share->work <= 0)
		return false;
	share->work -= work;
	return true;
}

bool program_share_take_chip(struct program_share *share)
{
	if (atomic_fetch_add_explicit(&share->n_chips, 1, memory_order_relaxed) < SHARE_CHIPS)
		return true;
	program_share_return_chips(share, 1);
	return false;
}

void program_share_return_chips(struct program_share *share, size_t count)
{
	atomic_fetch_sub_explicit(&share->n_chips, count, memory_order_relaxed);
}
