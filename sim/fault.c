#include "fault.h"

#include "basic/parse.h"
#include "spec.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	WITH_ATTR = 1,	/* N/ATTR */
	WITH_VALUE = 2, /* …=VALUE */
	WITH_TIME = 4,	/* …@FROM-TO, optional */
	NEEDS_FUSE = 8,
};

static const struct {
	const char *name;
	unsigned flags;
} kinds[] = {
	[FAULT_DEAD] = { "dead", WITH_TIME },
	[FAULT_RESET] = { "reset", WITH_TIME | NEEDS_FUSE },
	[FAULT_MISSING] = { "missing", WITH_ATTR },
	[FAULT_NO_TELEMETRY] = { "no-telemetry", WITH_TIME },
	[FAULT_DENIED] = { "denied", WITH_ATTR | WITH_TIME | NEEDS_FUSE },
	[FAULT_EIO] = { "eio", WITH_ATTR | WITH_TIME | NEEDS_FUSE },
	[FAULT_SLOW] = { "slow", WITH_ATTR | WITH_VALUE | WITH_TIME | NEEDS_FUSE },
	[FAULT_HANG] = { "hang", WITH_ATTR | WITH_TIME | NEEDS_FUSE },
	[FAULT_FROZEN] = { "frozen", WITH_TIME },
	[FAULT_GONE] = { "gone", WITH_TIME | NEEDS_FUSE },
	[FAULT_UNBOUND] = { "unbound", WITH_TIME },
	[FAULT_VFIO] = { "vfio", WITH_TIME },
	[FAULT_SET] = { "set", WITH_ATTR | WITH_VALUE | WITH_TIME },
	[FAULT_ERRORS] = { "errors", WITH_ATTR | WITH_VALUE },
	[FAULT_BARS] = { "bars", 0 },
	[FAULT_LOG] = { "log", WITH_VALUE },
	[FAULT_KILL] = { "kill", WITH_TIME },
};

static int fault_parse_kind(const char *name, enum fault_kind *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i].name, name) != 0)
			continue;
		*ret = (enum fault_kind)i;
		return 0;
	}
	return -EINVAL;
}

/* FROM or FROM-TO */
static int fault_parse_time(char *text, struct fault *f)
{
	char *to = strchr(text, '-');
	int r;

	if (to)
		*to++ = '\0';
	r = spec_seconds(text, &f->from_ms);
	if (r < 0 || !to)
		return r;
	r = spec_seconds(to, &f->to_ms);
	if (r < 0)
		return r;
	return f->to_ms > f->from_ms ? 0 : -EINVAL;
}

static int fault_parse_value(const char *value, struct fault *f)
{
	if (f->kind == FAULT_SET || f->kind == FAULT_LOG) {
		snprintf(f->text, sizeof(f->text), "%s", value);
		return strlen(value) < sizeof(f->text) - 1 ? 0 : -EINVAL;
	}
	return parse_u32(value, &f->amount);
}

static int fault_parse_target(char *text, unsigned flags, struct fault *f)
{
	char *slash = strchr(text, '/');
	uint32_t number;

	if (!slash != !(flags & WITH_ATTR))
		return -EINVAL;
	if (slash) {
		*slash++ = '\0';
		if (!*slash || strlen(slash) >= sizeof(f->attr) || strchr(slash, '/'))
			return -EINVAL;
		snprintf(f->attr, sizeof(f->attr), "%s", slash);
	}
	if (parse_u32(text, &number) < 0)
		return -EINVAL;
	f->number = number;
	return 0;
}

int fault_parse(const char *spec, struct fault *ret)
{
	struct fault f = { .to_ms = INT64_MAX };
	char text[192], *colon, *at, *equals;
	unsigned flags;

	if (strlen(spec) >= sizeof(text))
		return -EINVAL;
	snprintf(text, sizeof(text), "%s", spec);
	colon = strchr(text, ':');
	if (!colon)
		return -EINVAL;
	*colon++ = '\0';
	if (fault_parse_kind(text, &f.kind) < 0)
		return -EINVAL;
	flags = kinds[f.kind].flags;
	at = strrchr(colon, '@');
	if (at && flags & WITH_TIME) {
		*at++ = '\0';
		if (fault_parse_time(at, &f) < 0)
			return -EINVAL;
	}
	equals = strchr(colon, '=');
	if (!equals != !(flags & WITH_VALUE))
		return -EINVAL;
	if (equals) {
		*equals++ = '\0';
		if (fault_parse_value(equals, &f) < 0)
			return -EINVAL;
	}
	if (fault_parse_target(colon, flags, &f) < 0)
		return -EINVAL;
	*ret = f;
	return 0;
}

bool fault_needs_fuse(const struct fault *f)
{
	return kinds[f->kind].flags & NEEDS_FUSE;
}

void fault_put_plain_kinds(struct buf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!(kinds[i].flags & NEEDS_FUSE))
			buf_printf(out, "%s%s", out->length ? ", " : "", kinds[i].name);
}

bool fault_is_active(const struct fault *f, int64_t now_ms)
{
	return now_ms >= f->from_ms && now_ms < f->to_ms;
}
