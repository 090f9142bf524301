#include "spec.h"

#include "basic/parse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int spec_bytes(const char *text, uint64_t *ret)
{
	static const char units[] = "KMG";
	size_t digits = strspn(text, "0123456789");
	const char *unit;
	unsigned shift = 0;
	char number[24];
	uint64_t value;
	int r;

	if (digits >= sizeof(number))
		return -ERANGE;
	if (text[digits]) {
		unit = strchr(units, text[digits]);
		if (!unit || text[digits + 1])
			return -EINVAL;
		shift = 10 * (unsigned)(unit - units + 1);
	}
	snprintf(number, sizeof(number), "%.*s", (int)digits, text);
	r = parse_u64(number, &value);
	if (r < 0)
		return r;
	if (value > UINT64_MAX >> shift)
		return -ERANGE;
	*ret = value << shift;
	return 0;
}

int spec_seconds(const char *text, int64_t *ret_ms)
{
	size_t digits = strspn(text, "0123456789");
	int64_t ms = 0, scale = 100;

	if (!digits || digits > 9)
		return -EINVAL;
	for (size_t i = 0; i < digits; i++)
		ms = ms * 10 + (text[i] - '0');
	ms *= 1000;
	if (text[digits] == '.') {
		const char *p = text + digits + 1;

		for (; *p >= '0' && *p <= '9' && scale; p++, scale /= 10)
			ms += (*p - '0') * scale;
		if (*p || p == text + digits + 1)
			return -EINVAL;
	} else if (text[digits]) {
		return -EINVAL;
	}
	*ret_ms = ms;
	return 0;
}

int spec_field(char **text, char **ret_key, char **ret_value)
{
	char *key, *equals;

	if (!*text || !**text)
		return 0;
	key = strsep(text, ",");
	equals = strchr(key, '=');
	if (equals)
		*equals++ = '\0';
	*ret_key = key;
	*ret_value = equals ? equals : key + strlen(key);
	return 1;
}
