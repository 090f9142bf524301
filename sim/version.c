#include "version.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int version_parse(const char *text, struct version *ret)
{
	struct version v = { 0 };
	const char *p = text;
	unsigned parts = 0;

	if (strlen(text) >= sizeof(v.text))
		return -EINVAL;
	do {
		unsigned digits = 0;

		if (parts == ARRAY_SIZE(v.part))
			return -EINVAL;
		for (; *p >= '0' && *p <= '9' && digits < 4; p++, digits++)
			v.part[parts] = v.part[parts] * 10 + (unsigned)(*p - '0');
		if (!digits || v.part[parts] > 255)
			return -EINVAL;
		parts++;
	} while (*p++ == '.');
	p--;
	if (parts < 2 || (*p && *p != '-'))
		return -EINVAL;

	snprintf(v.text, sizeof(v.text), "%s", text);
	*ret = v;
	return 0;
}

bool version_at_least(const struct version *v, unsigned major, unsigned minor)
{
	if (v->part[0] != major)
		return v->part[0] > major;
	return v->part[1] >= minor;
}

uint32_t version_pack(const struct version *v)
{
	return v->part[0] << 24 | v->part[1] << 16 | v->part[2] << 8 | v->part[3];
}
