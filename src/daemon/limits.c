#include "daemon/limits.h"

#include "basic/parse.h"
#include "proto/table.h"

#include <errno.h>
#include <string.h>

const struct limit_info limit_infos[LIMITS] = {
	/* clang-format off */
	[LIMIT_CLIENTS]   = { "clients", "connections and adopted tables", 8192, 2048, 1, 1u << 20 },
	[LIMIT_NEW]       = { "new", "connections without a message yet", 256, 64, 1, 65536 },
	[LIMIT_HANDSHAKE] = { "handshake", "ms until the first message", 2000, 0, 10, 600000 },
	[LIMIT_SLOTS]     = { "slots", "allocations listed of one client", TABLE_SLOTS_MAX, 0, 1, TABLE_SLOTS_MAX },
	[LIMIT_CPU]       = { "cpu", "ms of CPU time per second for answers", 800, 250, 1, 1000 },
	[LIMIT_PENDING]   = { "pending", "KiB of answers not read yet", 256 << 10, 64 << 10, 4096, 4 << 20 },
	[LIMIT_REFUSED]   = { "refused", "connections refused and not closed yet", 256, 64, 1, 65536 },
	[LIMIT_FINISHED]  = { "finished", "finished processes remembered", 4096, 1024, 1, 1u << 20 },
	[LIMIT_HELD]      = { "held", "allocations kept for legacy clients", 4 << 20, 1 << 20, 1, 1u << 28 },
	[LIMIT_LOG]       = { "log", "lines in the log per second and kind", 100, 25, 1, 100000 },
	/* clang-format on */
};

void limits_init(struct limits *limits)
{
	*limits = (struct limits){ 0 };
	for (size_t i = 0; i < LIMITS; i++) {
		limits->value[i] = limit_infos[i].usual;
		limits->share[i] = limit_infos[i].share;
	}
}

static uint32_t *limit_find(struct limits *limits, const char *name, size_t length, size_t *ret)
{
	static const char user[] = "user-";
	bool share = strncmp(name, user, strlen(user)) == 0;

	if (share) {
		name += strlen(user);
		length -= strlen(user);
	}
	for (size_t i = 0; i < LIMITS; i++) {
		const struct limit_info *info = &limit_infos[i];

		if (strlen(info->name) != length || strncmp(info->name, name, length) != 0 ||
		    (share && !info->share))
			continue;
		*ret = i;
		return share ? &limits->share[i] : &limits->value[i];
	}
	return NULL;
}

int limits_parse(struct limits *limits, const char *text)
{
	size_t length = strcspn(text, "="), at;
	uint32_t value, *limit;

	if (text[length] != '=')
		return -EINVAL;
	limit = limit_find(limits, text, length, &at);
	if (!limit || parse_u32(text + length + 1, &value) < 0)
		return -EINVAL;
	if (value < limit_infos[at].least || value > limit_infos[at].most)
		return -ERANGE;
	*limit = value;
	limits->given[at] |= limit == &limits->value[at];
	return 0;
}
