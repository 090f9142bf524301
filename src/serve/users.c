#include "serve/users.h"

#include "basic/parse.h"
#include "serve/secret_file.h"

#include <crypt.h>
#include <gnutls/gnutls.h>
#include <stdatomic.h>
#include <string.h>

/* "$2y$10$" and 53 characters: 22 of salt, 31 of the hash. */
enum { HASH_PREFIX = 7, HASH_LENGTH = 60, LOWEST_COST = 4 };

/* 2^14 rounds take about a second. */
#define HIGHEST_COST 14

struct auth_user {
	char *name;
	char hash[HASH_LENGTH + 1];
	unsigned cost; /* 2^cost rounds */
};

struct auth_users {
	atomic_uint refs;
	struct auth_user *list;
	size_t count;
	unsigned highest_cost;
};

struct auth_users *auth_users_ref(struct auth_users *users)
{
	atomic_fetch_add_explicit(&users->refs, 1, memory_order_relaxed);
	return users;
}

struct auth_users *auth_users_unref(struct auth_users *users)
{
	/* Acquire-release: the thread that frees it sees all accesses of the others. */
	if (!users || atomic_fetch_sub_explicit(&users->refs, 1, memory_order_acq_rel) > 1)
		return NULL;
	for (size_t i = 0; i < users->count; i++)
		free(users->list[i].name);
	free(users->list);
	free(users);
	return NULL;
}

/* The cost of a hash of bcrypt; 0: it is something else. */
static unsigned hash_cost(const char *hash, size_t length)
{
	static const char letters[] =
		"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

	if (length != HASH_LENGTH || strncmp(hash, "$2", 2) != 0 || !strchr("aby", hash[2]) ||
	    hash[3] != '$' || strspn(hash + 4, "0123456789") != 2 || hash[6] != '$' ||
	    strspn(hash + HASH_PREFIX, letters) < HASH_LENGTH - HASH_PREFIX)
		return 0;
	return (unsigned)(hash[4] - '0') * 10 + (unsigned)(hash[5] - '0');
}

static const struct auth_user *find_user(const struct auth_users *users, const char *name)
{
	const struct auth_user *found = NULL;

	for (size_t i = 0; i < users->count; i++)
		if (strcmp(users->list[i].name, name) == 0)
			found = &users->list[i];
	return found;
}

/* Takes the name. False: out of memory. */
static bool add_user(struct auth_users *users, const struct auth_user *user)
{
	struct auth_user *list = reallocarray(users->list, users->count + 1, sizeof(*list));

	if (!list) {
		free(user->name);
		return false;
	}
	users->list = list;
	users->list[users->count++] = *user;
	users->highest_cost = MAX(users->highest_cost, user->cost);
	return true;
}

/* Adds a user; NULL, or what is wrong with the line. */
static const char *add_line(struct auth_users *users, const char *line, size_t length)
{
	const char *colon = memchr(line, ':', length);
	size_t name_length = colon ? (size_t)(colon - line) : 0;
	struct auth_user user = { 0 };

	if (name_length == 0 || name_length > MAX_USER_NAME)
		return "not NAME:HASH";
	user.cost = hash_cost(colon + 1, length - name_length - 1);
	if (user.cost == 0)
		return "not a hash of bcrypt; use: htpasswd -B";
	if (user.cost < LOWEST_COST || user.cost > HIGHEST_COST)
		return "the cost of its hash is not from 4 to " STRINGIFY(HIGHEST_COST);
	memcpy(user.hash, colon + 1, HASH_LENGTH);
	user.name = strndup(line, name_length);
	if (!user.name)
		return "out of memory";
	if (find_user(users, user.name)) {
		free(user.name);
		return "this user is listed twice";
	}
	return add_user(users, &user) ? NULL : "out of memory";
}

struct auth_users *auth_users_parse(const char *path, const char *text, struct buf *why)
{
	struct auth_users *users = calloc(1, sizeof(*users));
	const char *fault = users ? NULL : "out of memory";
	unsigned number = 0;

	if (users)
		atomic_init(&users->refs, 1);
	while (!fault && *text) {
		size_t whole = strcspn(text, "\n"), length = whole;

		number++;
		while (length && strchr(" \t\r", text[length - 1]))
			length--;
		if (length && text[0] != '#')
			fault = add_line(users, text, length);
		text += whole + (text[whole] == '\n');
	}
	if (!fault && users->count == 0) {
		buf_printf(why, "%s: it has no users", path);
		return auth_users_unref(users);
	}
	if (fault) {
		buf_printf(why, "%s:%u: %s", path, number, fault);
		return auth_users_unref(users);
	}
	return users;
}

struct auth_users *auth_users_load(const char *path, struct buf *why)
{
	CLEANUP_SECRET struct buf text = { 0 };

	if (!secret_file_read(path, S_IWGRP | S_IWOTH, &text, why))
		return NULL;
	if (text.length && strlen(buf_text(&text)) != text.length) {
		buf_printf(why, "%s: it is not a text file", path);
		return NULL;
	}
	return auth_users_parse(path, buf_text(&text), why);
}

/* Does a password have this hash? False also if there is no memory. */
static bool has_hash(const char *password, const char *hash)
{
	struct crypt_data *data = calloc(1, sizeof(*data));
	const char *result = data ? crypt_r(password, hash, data) : NULL;
	bool same = result && strlen(result) == HASH_LENGTH &&
		    gnutls_memcmp(result, hash, HASH_LENGTH) == 0;

	if (data)
		explicit_bzero(data, sizeof(*data));
	free(data);
	return same;
}

/* Takes as long as a hash of this cost. */
static void waste(const char *password, unsigned cost)
{
	char hash[HASH_LENGTH + 1] = "$2b$";

	memset(hash + 4, '.', HASH_LENGTH - 4);
	hash[4] = (char)('0' + cost / 10);
	hash[5] = (char)('0' + cost % 10);
	hash[6] = '$';
	(void)has_hash(password, hash);
}

/* The costs of c, c, c+1, c+2, ... h-1 add up to that of h. */
bool auth_users_verify(const struct auth_users *users, const char *name, const char *password)
{
	const struct auth_user *user = find_user(users, name);

	if (!user) {
		waste(password, users->highest_cost);
		return false;
	}
	if (has_hash(password, user->hash))
		return true;
	for (unsigned cost = user->cost; cost < users->highest_cost; cost++)
		waste(password, cost);
	return false;
}
