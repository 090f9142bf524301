/*
 * Passwords of requests (HTTP Basic), against the file of --auth-file. A password that was verified
 * before is found in a cache; others are verified by a separate thread while their connections are
 * suspended, with a rate limit per address. A password that was right earlier is exempt from it.
 */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"
#include "serve/connections.h"

#include <microhttpd.h>
#include <stdbool.h>

struct auth;

/* NULL: why has the reason. The path must outlive it. */
struct auth *auth_new(const char *path, struct buf *why);

/* Suspended connections are resumed, and refused. */
void auth_free(struct auth *auth);

/*
 * Reads the file again; all passwords must be verified again. False: the users stay as they are,
 * and why has the reason.
 */
MUST_CHECK bool auth_reload(struct auth *auth, struct buf *why);

/* Readable when auth_resume() has something to do. */
int auth_fd(const struct auth *auth);

/* Resumes connections whose password was verified. */
void auth_resume(struct auth *auth);

/*
 * Is the request allowed? AUTH_PENDING: its connection is suspended, and the library will ask
 * again. Others than AUTH_GRANTED and AUTH_PENDING are answered by auth_refuse().
 */
enum auth_state auth_check(struct auth *auth, struct MHD_Connection *connection);
enum MHD_Result auth_refuse(struct MHD_Connection *connection, enum auth_state state);
