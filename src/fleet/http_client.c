#include "fleet/http_client.h"

#include "basic/clock.h"
#include "basic/exit_code.h"
#include "fleet/credentials.h"
#include "fleet/server_url.h"
#include "version.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_ANSWER = 32 << 20, /* bytes, decompressed: 100,000 series with long labels */
	MAX_CONNECTIONS = 6,
	MAX_REQUESTS = 16,
	MAX_REPEATED = 300, /* of a text of the server in a message */
};

struct http_client {
	struct server_url url;
	struct buf token, user; /* token: the whole header; empty: none */
	struct curl_slist *headers;
	const char *ca_file;
	unsigned timeout_ms;
	int64_t deadline_ns;
	CURLM *multi;
	atomic_bool canceled;
};

/* A request under way. */
struct transfer {
	CURL *easy;
	struct request *request;
	struct buf url;
	char problem[CURL_ERROR_SIZE];
	bool too_large, done;
	CURLcode result;
	long status;
};

static int fail_memory(struct buf *error)
{
	buf_puts(error, "out of memory");
	return EXIT_INTERNAL;
}

struct http_client *http_client_free(struct http_client *client)
{
	if (!client)
		return NULL;
	curl_multi_cleanup(client->multi);
	curl_slist_free_all(client->headers);
	credentials_done(&client->token);
	credentials_done(&client->user);
	server_url_done(&client->url);
	free(client);
	return NULL;
}

const char *http_client_host(const struct http_client *client)
{
	return buf_text(&client->url.host);
}

const char *http_client_url(const struct http_client *client)
{
	return buf_text(&client->url.base);
}

static int read_token(struct http_client *client, const char *file, struct buf *error)
{
	struct buf token = { 0 };
	int code = credentials_read("--token-file", file, &token, error);

	if (code == 0) {
		buf_puts(&client->token, "Authorization: Bearer ");
		buf_add(&client->token, buf_text(&token), token.length);
		client->headers = curl_slist_append(NULL, buf_text(&client->token));
		code = client->headers ? 0 : fail_memory(error);
	}
	credentials_done(&token);
	return code;
}

static int read_files(struct http_client *client, const struct http_client_options *options,
		      struct buf *error)
{
	int code;

	if (options->token_file)
		return read_token(client, options->token_file, error);
	if (!options->user_file)
		return 0;
	code = credentials_read("--user-file", options->user_file, &client->user, error);
	if (code == 0 && !strchr(buf_text(&client->user), ':')) {
		buf_printf(error, "--user-file: %s is not USER:PASSWORD", options->user_file);
		code = EXIT_USAGE;
	}
	return code;
}

static int open_client(struct http_client *client, const struct http_client_options *options,
		       struct buf *error)
{
	int code = server_url_parse(options->url, &client->url, error);

	if (code == 0)
		code = read_files(client, options, error);
	if (code)
		return code;
	client->ca_file = options->ca_file;
	client->timeout_ms = options->timeout_ms;
	client->multi = curl_multi_init();
	if (!client->multi)
		return fail_memory(error);
	curl_multi_setopt(client->multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)MAX_CONNECTIONS);
	http_client_begin(client);
	return 0;
}

int http_client_new(const struct http_client_options *options, struct http_client **ret,
		    struct buf *error)
{
	struct http_client *client = calloc(1, sizeof(*client));
	int code;

	if (!client || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
		free(client);
		return fail_memory(error);
	}
	code = open_client(client, options, error);
	if (code)
		http_client_free(client);
	else
		*ret = client;
	return code;
}

void http_client_begin(struct http_client *client)
{
	client->deadline_ns = clock_now(CLOCK_MONOTONIC) + (int64_t)client->timeout_ms * NS_PER_MS;
}

void http_client_cancel(struct http_client *client)
{
	atomic_store(&client->canceled, true);
	curl_multi_wakeup(client->multi);
}

/* Called by libcurl with a part of an answer. */
static size_t receive(char *data, size_t size, size_t count, void *arg)
{
	struct transfer *transfer = arg;
	struct buf *answer = &transfer->request->answer;

	transfer->too_large = answer->length + size * count > MAX_ANSWER;
	if (transfer->too_large)
		return 0; /* ends the transfer */
	buf_add(answer, data, size * count);
	return answer->failed ? 0 : size * count;
}

static int64_t milliseconds_left(const struct http_client *client)
{
	return (client->deadline_ns - clock_now(CLOCK_MONOTONIC)) / NS_PER_MS;
}

static bool set_form(struct transfer *transfer)
{
	char *escaped = curl_easy_escape(transfer->easy, transfer->request->query, 0);
	CLEANUP_BUF struct buf form = { 0 };
	bool fine = false;

	buf_printf(&form, "query=%s", escaped ? escaped : "");
	if (escaped && !form.failed)
		fine = curl_easy_setopt(transfer->easy, CURLOPT_COPYPOSTFIELDS, buf_text(&form)) ==
		       CURLE_OK;
	curl_free(escaped);
	return fine;
}

static bool set_server(const struct http_client *client, struct transfer *transfer)
{
	CURL *easy = transfer->easy;

	buf_printf(&transfer->url, "%s%s", http_client_url(client), transfer->request->path);
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	if (client->headers)
		curl_easy_setopt(easy, CURLOPT_HTTPHEADER, client->headers);
	if (client->user.length) {
		curl_easy_setopt(easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
		if (curl_easy_setopt(easy, CURLOPT_USERPWD, buf_text(&client->user)) != CURLE_OK)
			return false;
	}
	if (client->ca_file && curl_easy_setopt(easy, CURLOPT_CAINFO, client->ca_file) != CURLE_OK)
		return false;
	return !transfer->url.failed &&
	       curl_easy_setopt(easy, CURLOPT_URL, buf_text(&transfer->url)) == CURLE_OK;
}

/* Otherwise the end of a transfer waits for its name to be resolved, without a limit. */
static void do_not_wait_for_resolver(CURL *easy)
{
#if LIBCURL_VERSION_NUM >= 0x075700
	curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#else
	(void)easy;
#endif
}

static bool start(struct http_client *client, struct transfer *transfer)
{
	CURL *easy = transfer->easy = curl_easy_init();

	if (!easy || !set_server(client, transfer))
		return false;
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->problem);
	curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	do_not_wait_for_resolver(easy);
	curl_easy_setopt(easy, CURLOPT_USERAGENT, "tt_smi/" TT_SMI_VERSION);
	curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, ""); /* all that libcurl can decode */
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
	curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)MAX(milliseconds_left(client), 1));
	if (transfer->request->query && !set_form(transfer))
		return false;
	return curl_multi_add_handle(client->multi, easy) == CURLM_OK;
}

static void take_results(struct http_client *client)
{
	CURLMsg *message;
	int left;

	while ((message = curl_multi_info_read(client->multi, &left))) {
		struct transfer *transfer = NULL;

		if (message->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&transfer);
		transfer->done = true;
		transfer->result = message->data.result;
		curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &transfer->status);
	}
}

/* Until all transfers are done; libcurl ends those that are late. */
static void run(struct http_client *client)
{
	int running = 0;

	do {
		if (curl_multi_perform(client->multi, &running) != CURLM_OK)
			break;
		take_results(client);
		if (running)
			curl_multi_poll(client->multi, NULL, 0, 1000, NULL);
	} while (running && !atomic_load(&client->canceled));
}

static int judge_transfer(const struct http_client *client, const struct transfer *transfer,
			  struct buf *error)
{
	const char *url = buf_text(&transfer->url);

	if (transfer->too_large)
		buf_printf(error, "%s: the answer has more than %d MB", url, MAX_ANSWER >> 20);
	else if (!transfer->done)
		buf_printf(error, "%s: %s", url,
			   atomic_load(&client->canceled) ? "canceled" : "not completed");
	else if (transfer->result == CURLE_OPERATION_TIMEDOUT)
		buf_printf(error, "%s: no answer within %g s", url, client->timeout_ms / 1000.0);
	else
		buf_printf(error, "%s: %s", url,
			   transfer->problem[0] ? transfer->problem
						: curl_easy_strerror(transfer->result));
	return EXIT_NO_SERVER;
}

/* Errors of the query are documents, which the reader of answers understands. */
static bool is_query_error(const struct buf *answer)
{
	return answer->length && answer->data[0] == '{' &&
	       strstr(buf_text(answer), "\"errorType\"");
}

static int judge(const struct http_client *client, const struct transfer *transfer,
		 struct buf *error)
{
	const char *url = buf_text(&transfer->url);
	const struct buf *answer = &transfer->request->answer;

	if (transfer->result != CURLE_OK || !transfer->done)
		return judge_transfer(client, transfer, error);
	if (transfer->status == 401 || transfer->status == 403) {
		buf_printf(error, "%s: HTTP status %ld; %s", url, transfer->status,
			   client->headers || client->user.length
				   ? "the server does not accept these credentials"
				   : "use --token-file or --user-file");
		return EXIT_PERMISSION;
	}
	if (transfer->status == 200 || is_query_error(answer))
		return 0;
	buf_printf(error, "%s: HTTP status %ld", url, transfer->status);
	if (transfer->status / 100 == 3)
		buf_puts(error, ", a redirection; use the address that it leads to");
	else if (answer->length)
		buf_printf(error, ": %.*s",
			   (int)MIN(strcspn(buf_text(answer), "\r\n"), MAX_REPEATED),
			   buf_text(answer));
	return EXIT_NO_SERVER;
}

static void finish(struct http_client *client, struct transfer *transfer)
{
	if (transfer->easy) {
		curl_multi_remove_handle(client->multi, transfer->easy);
		curl_easy_cleanup(transfer->easy);
	}
	buf_done(&transfer->url);
}

int http_client_ask(struct http_client *client, struct request *requests, size_t count,
		    struct buf *error)
{
	struct transfer transfers[MAX_REQUESTS] = { 0 };
	bool started = count <= MAX_REQUESTS;
	int code = 0;

	for (size_t i = 0; i < count && started; i++) {
		transfers[i].request = &requests[i];
		buf_reset(&requests[i].answer);
		started = start(client, &transfers[i]);
	}
	if (started)
		run(client);
	for (size_t i = 0; i < count && started && !code; i++)
		code = judge(client, &transfers[i], error);
	for (size_t i = 0; i < MIN(count, MAX_REQUESTS); i++)
		finish(client, &transfers[i]);
	return started ? code : fail_memory(error);
}
