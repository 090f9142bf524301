#include "daemon/limits.h"

#include "basic/parse.h"
#include "proto/table.h"

#include <errno.h>
#include <string.h>

const struct limit_info limit_infos[LIMITS] = {
	/* clang-format off */
	[LIMIT_CLIENTS]      = { "clients", "connections in all", 8192, 1, 1u << 20 },
	[LIMIT_USER_CLIENTS] = { "user-clients", "connections of one user other than root", 2048, 1, 1u << 20 },
	[LIMIT_NEW]          = { "new", "connections without a message yet", 256, 1, 65536 },
	[LIMIT_USER_NEW]     = { "user-new", "the same of one user other than root", 64, 1, 65536 },
	[LIMIT_HANDSHAKE]    = { "handshake", "ms until the first message", 2000, 10, 600000 },
	[LIMIT_SLOTS]        = { "slots", "allocations listed of one client", TABLE_SLOTS_MAX, 1, TABLE_SLOTS_MAX },
	[LIMIT_SNAPSHOTS]    = { "snapshots", "snapshots of one user per second", 1000, 1, 100000 },
	[LIMIT_FINISHED]     = { "finished", "finished processes remembered", 4096, 1, 1u << 20 },
	[LIMIT_HELD]         = { "held", "allocations of all legacy clients together", 4 << 20, 1, 1u << 28 },
	/* clang-format on */
};

void limits_init(struct limits *limits)
{
	for (size_t i = 0; i < LIMITS; i++)
		limits->value[i] = limit_infos[i].usual;
}

int limits_parse(struct limits *limits, const char *text)
{
	size_t length = strcspn(text, "=");
	uint32_t value;

	if (text[length] != '=')
		return -EINVAL;
	for (size_t i = 0; i < LIMITS; i++) {
		const struct limit_info *info = &limit_infos[i];

		if (strlen(info->name) != length || strncmp(info->name, text, length) != 0)
			continue;
		if (parse_u32(text + length + 1, &value) < 0)
			return -EINVAL;
		if (value < info->least || value > info->most)
			return -ERANGE;
		limits->value[i] = value;
		return 0;
	}
	return -EINVAL;
}
