#include "serve/auth.h"

#include "basic/clock.h"
#include "cli/error_line.h"
#include "serve/address.h"
#include "serve/attempts.h"
#include "serve/password_cache.h"
#include "serve/response.h"
#include "serve/verifier.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Less than the time that a request may take. */
static const int64_t patience_ns = 20 * NS_PER_S;

struct auth {
	const char *path;
	struct auth_users *users;
	struct password_cache cache;
	struct attempt_table attempts;
	struct verifier *verifier;
};

/* A request whose password is being verified. */
struct auth_request {
	struct verification verification; /* the first member */
	struct credential credential;
	struct address_key source;
	struct MHD_Connection *connection;
};

/* ---- beginning and end ---- */

struct auth *auth_new(const char *path, struct buf *why)
{
	struct auth *auth = calloc(1, sizeof(*auth));
	int r;

	if (!auth) {
		buf_puts(why, strerror(ENOMEM));
		return NULL;
	}
	auth->path = path;
	auth->users = auth_users_load(path, why);
	if (!auth->users) {
		free(auth);
		return NULL;
	}
	r = password_cache_init(&auth->cache);
	if (r == 0)
		r = verifier_new(&auth->verifier);
	if (r < 0) {
		buf_puts(why, strerror(-r));
		auth_users_unref(auth->users);
		free(auth);
		return NULL;
	}
	return auth;
}

static void finish(struct auth_request *request, enum auth_state state)
{
	connection_entry(request->connection)->auth = state;
	MHD_resume_connection(request->connection);
	auth_users_unref(request->verification.users);
	explicit_bzero(request, sizeof(*request));
	free(request);
}

static void abandon(struct verification *verification)
{
	finish((struct auth_request *)verification, AUTH_BUSY);
}

void auth_free(struct auth *auth)
{
	if (!auth)
		return;
	verifier_free(auth->verifier, abandon);
	auth_users_unref(auth->users);
	attempts_done(&auth->attempts);
	explicit_bzero(auth, sizeof(*auth));
	free(auth);
}

bool auth_reload(struct auth *auth, struct buf *why)
{
	struct auth_users *users = auth_users_load(auth->path, why);

	if (!users)
		return false;
	auth_users_unref(auth->users);
	auth->users = users;
	password_cache_reload(&auth->cache);
	return true;
}

int auth_fd(const struct auth *auth)
{
	return verifier_fd(auth->verifier);
}

/* ---- requests ---- */

/* The users may have changed meanwhile: then the library asks again. */
static enum auth_state result_of(const struct auth *auth, const struct verification *verified)
{
	if (verified->late)
		return AUTH_BUSY;
	if (verified->users != auth->users)
		return AUTH_UNKNOWN;
	return verified->right ? AUTH_GRANTED : AUTH_WRONG;
}

/* Only requests with passwords that were never right count as attempts: guesses. */
static void note_result(struct auth *auth, const struct auth_request *request,
			enum auth_state state)
{
	if (!request->verification.urgent)
		attempts_end(&auth->attempts, &request->source, state != AUTH_WRONG);
	if (state == AUTH_GRANTED)
		password_cache_add(&auth->cache, &request->credential, clock_now(CLOCK_MONOTONIC));
	else if (state == AUTH_WRONG)
		password_cache_drop(&auth->cache, &request->credential);
	else
		password_cache_release(&auth->cache, &request->credential);
}

void auth_resume(struct auth *auth)
{
	struct verification *verified;

	while ((verified = verifier_take(auth->verifier))) {
		struct auth_request *request = (struct auth_request *)verified;
		enum auth_state state = result_of(auth, verified);

		note_result(auth, request, state);
		finish(request, state);
	}
}

/* One line each time an address exceeds its rate limit. */
static void report_refusal(const struct sockaddr *address)
{
	char text[LISTEN_ADDRESS_TEXT];

	listen_address_text(address, text, sizeof(text));
	error_line(0, "%s: too many wrong passwords; further attempts have to wait", text);
}

static bool begin_attempt(struct auth *auth, struct auth_request *request,
			  const struct sockaddr *address)
{
	enum attempt_answer answer;

	request->source = address_key_of(address);
	answer = attempts_begin(&auth->attempts, &request->source, clock_now(CLOCK_MONOTONIC));
	if (answer == ATTEMPT_FIRST_REFUSED)
		report_refusal(address);
	return answer == ATTEMPT_ALLOWED;
}

static enum auth_state queue_request(struct auth *auth, struct auth_request *request,
				     const struct sockaddr *address)
{
	/* What others send from its address cannot lock out a password that was right earlier. */
	request->verification.urgent = password_cache_retry(&auth->cache, &request->credential);
	if (!request->verification.urgent && !begin_attempt(auth, request, address))
		return AUTH_RATIONED;
	request->verification.users = auth_users_ref(auth->users);
	request->verification.deadline_ns = clock_now(CLOCK_MONOTONIC) + patience_ns;
	if (verifier_add(auth->verifier, &request->verification) < 0) {
		auth_users_unref(request->verification.users);
		attempts_end(&auth->attempts, &request->source, true);
		return AUTH_BUSY;
	}
	/* It is resumed by this thread, so the result cannot come before this. */
	MHD_suspend_connection(request->connection);
	return AUTH_PENDING;
}

/* Verifies a password on the other thread. */
static enum auth_state verify(struct auth *auth, struct MHD_Connection *connection,
			      const char *name, const char *password,
			      const struct credential *credential)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	struct auth_request *request = info ? calloc(1, sizeof(*request)) : NULL;
	enum auth_state state;

	if (!request)
		return AUTH_BUSY;
	request->connection = connection;
	request->credential = *credential;
	memcpy(request->verification.name, name, strlen(name) + 1);
	memcpy(request->verification.password, password, strlen(password) + 1);
	state = queue_request(auth, request, info->client_addr);
	if (state != AUTH_PENDING) {
		explicit_bzero(request, sizeof(*request));
		free(request);
	}
	return state;
}

static enum auth_state check_password(struct auth *auth, struct MHD_Connection *connection,
				      const char *name, char *password)
{
	struct credential credential;

	if (strlen(name) > MAX_USER_NAME)
		return AUTH_WRONG;
	/* bcrypt ignores the rest, so the cache must ignore it too. */
	if (strlen(password) > MAX_PASSWORD)
		password[MAX_PASSWORD] = '\0';
	if (!password_cache_hash(&auth->cache, name, password, &credential))
		return AUTH_BUSY;
	if (password_cache_has(&auth->cache, &credential, clock_now(CLOCK_MONOTONIC)))
		return AUTH_GRANTED;
	return verify(auth, connection, name, password, &credential);
}

enum auth_state auth_check(struct auth *auth, struct MHD_Connection *connection)
{
	struct http_connection *entry = connection_entry(connection);
	char *name, *password = NULL;

	if (!entry)
		return AUTH_BUSY;
	if (entry->auth != AUTH_UNKNOWN)
		return entry->auth;
	name = MHD_basic_auth_get_username_password(connection, &password);
	entry->auth =
		name && password ? check_password(auth, connection, name, password) : AUTH_MISSING;
	if (password)
		explicit_bzero(password, strlen(password));
	MHD_free(password);
	MHD_free(name);
	return entry->auth;
}

enum MHD_Result auth_refuse(struct MHD_Connection *connection, enum auth_state state)
{
	static const struct response_header login = { MHD_HTTP_HEADER_WWW_AUTHENTICATE,
						      "Basic realm=\"tt_smi\", charset=\"UTF-8\"" };
	static const struct response_header later = { MHD_HTTP_HEADER_RETRY_AFTER, "5" };

	if (state == AUTH_MISSING)
		return answer_text_with(connection, MHD_HTTP_UNAUTHORIZED,
					"a user name and a password are needed", &login);
	if (state == AUTH_WRONG)
		return answer_text_with(connection, MHD_HTTP_UNAUTHORIZED,
					"wrong user name or password", &login);
	if (state == AUTH_RATIONED)
		return answer_text_with(connection, MHD_HTTP_TOO_MANY_REQUESTS,
					"too many wrong passwords from this address; try later",
					&later);
	return answer_text_with(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
				"too many passwords are being verified; try later", &later);
}
