#include "daemon/users.h"

#include "basic/clock.h"
#include "basic/file.h"
#include "basic/parse.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* Users without open resources are dropped when there are more than this. */
enum { USERS_KEPT = 64 };

/* These files are written by root and have a few lines; anything beyond this is not read. */
enum { PASSWD_MAX = 4 << 20, RANGES_MAX = 65536 };

/* Root's reserve is one part in this many. */
enum { RESERVE = 8 };

/* The next field up to a colon or the end of the line; NULL: none. */
static char *field(char **at)
{
	return *at ? strsep(at, ":") : NULL;
}

/* The uid of a user name in the text of passwd(5), which is modified and restored meanwhile. */
static bool passwd_find(const char *text, const char *name, uid_t *ret)
{
	size_t length = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		const char *uid;
		char digits[16];

		line += *line == '\n';
		if (strncmp(line, name, length) != 0 || line[length] != ':')
			continue;
		uid = strchr(line + length + 1, ':');
		if (!uid)
			return false;
		uid++;
		if (strcspn(uid, ":\n") >= sizeof(digits))
			return false;
		memcpy(digits, uid, strcspn(uid, ":\n"));
		digits[strcspn(uid, ":\n")] = '\0';
		return parse_u32(digits, ret) == 0;
	}
	return false;
}

/* "name:first:count" or "uid:first:count". */
static bool range_parse(char *line, const char *passwd, struct subordinate_range *ret)
{
	const char *owner = field(&line), *first = field(&line), *count = field(&line);

	if (!owner || !first || !count || parse_u32(first, &ret->first) < 0 ||
	    parse_u32(count, &ret->count) < 0)
		return false;
	return parse_u32(owner, &ret->owner) == 0 || passwd_find(passwd, owner, &ret->owner);
}

static void ranges_read(struct users *users)
{
	CLEANUP_BUF struct buf text = { 0 }, passwd = { 0 };
	char *rest, *line;

	if (file_read_all(AT_FDCWD, "/etc/subuid", PASSWD_MAX, &text) < 0 || !text.length)
		return;
	(void)!file_read_all(AT_FDCWD, "/etc/passwd", PASSWD_MAX,
			     &passwd); /* without it, numeric entries still work */
	buf_putc(&text, '\0');
	if (text.failed)
		return;
	rest = text.data;
	while ((line = strsep(&rest, "\n")) && users->n_ranges < RANGES_MAX) {
		struct subordinate_range range, *grown;

		if (!range_parse(line, buf_text(&passwd), &range))
			continue;
		grown = reallocarray(users->ranges, users->n_ranges + 1, sizeof(*grown));
		if (!grown)
			return;
		users->ranges = grown;
		users->ranges[users->n_ranges++] = range;
	}
}

void users_init(struct users *users, const struct limits *limits)
{
	*users = (struct users){ .limits = limits };
	list_init(&users->list);
	ranges_read(users);
}

static void user_free(struct user *user)
{
	list_remove(&user->member);
	user->users->count--;
	free(user);
}

void users_done(struct users *users)
{
	if (!users->limits)
		return;
	for (LIST_EACH(at, &users->list))
		user_free(container_of(at, struct user, member));
	free(users->ranges);
	*users = (struct users){ 0 };
}

static uid_t users_owner(const struct users *users, uid_t uid)
{
	for (size_t i = 0; i < users->n_ranges; i++) {
		const struct subordinate_range *range = &users->ranges[i];

		if (uid >= range->first && uid - range->first < range->count)
			return range->owner;
	}
	return uid;
}

static void users_sweep(struct users *users)
{
	if (users->count < USERS_KEPT)
		return;
	for (LIST_EACH(at, &users->list)) {
		struct user *user = container_of(at, struct user, member);

		if (!user->references)
			user_free(user);
	}
}

struct user *users_get(struct users *users, uid_t uid)
{
	struct user *user;

	uid = users_owner(users, uid);
	for (LIST_EACH(at, &users->list)) {
		user = container_of(at, struct user, member);
		if (user->uid == uid)
			return user_ref(user);
	}
	users_sweep(users);
	user = calloc(1, sizeof(*user));
	if (!user)
		return NULL;
	user->users = users;
	user->uid = uid;
	list_init(&user->accounts);
	list_init(&user->turn);
	list_init(&user->turns);
	list_append(&users->list, &user->member);
	users->count++;
	return user_ref(user);
}

struct user *user_ref(struct user *user)
{
	user->references++;
	return user;
}

struct user *user_unref(struct user *user)
{
	if (user) {
		assert(user->references > 0);
		user->references--;
	}
	return NULL;
}

bool user_is_privileged(const struct user *user)
{
	return user->uid == 0 || user->uid == geteuid();
}

uint32_t user_room(const struct user *user, enum limit limit)
{
	uint32_t all = user->users->limits->value[limit], share = user->users->limits->share[limit];
	uint32_t used = user->users->used[limit], own = user->used[limit], left;

	if (user_is_privileged(user))
		return all - MIN(used, all);
	all -= all / RESERVE;
	left = all - MIN(used, all);
	if (own >= left || own >= share)
		return 0;
	return MIN(share - own, (left - own + 1) / 2);
}

int user_take(struct user *user, enum limit limit)
{
	if (!user_room(user, limit))
		return -EUSERS;
	user_count(user, limit, 1);
	return 0;
}

void user_count(struct user *user, enum limit limit, uint32_t count)
{
	user->used[limit] += count;
	user->users->used[limit] += count;
}

void user_give_back(struct user *user, enum limit limit, uint32_t count)
{
	assert(user->used[limit] >= count);
	user->used[limit] -= count;
	user->users->used[limit] -= count;
}

/* Subtracts what the elapsed time has refilled. */
static void bucket_refresh(struct bucket *bucket, uint32_t ms_per_s, int64_t now)
{
	if (bucket->at_ns)
		bucket->spent -= (double)(now - bucket->at_ns) * ms_per_s / 1000;
	bucket->spent = MAX(bucket->spent, 0);
	bucket->at_ns = now;
}

/* A burst of up to one second's share is allowed. */
static uint32_t bucket_wait_ms(const struct bucket *bucket, uint32_t ms_per_s)
{
	double excess = bucket->spent - (double)ms_per_s * NS_PER_MS;

	return excess > 0 ? (uint32_t)MIN(excess / ms_per_s / 1000, 60000) + 1 : 0;
}

void user_charge(struct user *user, int64_t cost_ns)
{
	if (user_is_privileged(user))
		return;
	user->cost.spent += (double)cost_ns;
	user->users->cost.spent += (double)cost_ns;
}

uint32_t user_wait_ms(struct user *user)
{
	const struct limits *limits = user->users->limits;
	uint32_t share = limits->share[LIMIT_CPU], all = limits->value[LIMIT_CPU], own, any;
	int64_t now = clock_now(CLOCK_MONOTONIC);

	if (user_is_privileged(user))
		return 0;
	bucket_refresh(&user->cost, share, now);
	bucket_refresh(&user->users->cost, all, now);
	own = bucket_wait_ms(&user->cost, share);
	any = bucket_wait_ms(&user->users->cost, all);
	/* Users that use little are served even if the total is used up by others. */
	return own || user->cost.spent * 4 < (double)share * NS_PER_MS ? own : any;
}
