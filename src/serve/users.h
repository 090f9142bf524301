/*
 * Users and their passwords, from a file as htpasswd -B writes it: "name:hash" in each line, with
 * hashes of bcrypt. Immutable, reference-counted: the file may be replaced while a password is
 * being verified on another thread.
 */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"

#include <stdbool.h>

struct auth_users;

enum {
	MAX_USER_NAME = 255,
	MAX_PASSWORD = 72, /* bcrypt reads no more */
};

/* NULL: why has the reason, which names the line. path is for messages. */
struct auth_users *auth_users_parse(const char *path, const char *text, struct buf *why);

/* The same for the file itself. */
struct auth_users *auth_users_load(const char *path, struct buf *why);

struct auth_users *auth_users_ref(struct auth_users *users);
struct auth_users *auth_users_unref(struct auth_users *users); /* takes NULL, returns NULL */

/*
 * Is it this user's password? Takes as long as bcrypt is meant to take, and for an unknown user and
 * for a wrong password as long as for the user with the highest cost.
 */
bool auth_users_verify(const struct auth_users *users, const char *name, const char *password);
