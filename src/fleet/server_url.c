#include "fleet/server_url.h"

#include "basic/exit_code.h"

#include <curl/curl.h>
#include <errno.h>
#include <string.h>

void server_url_done(struct server_url *url)
{
	buf_done(&url->base);
	buf_done(&url->host);
}

static void free_url(CURLU **url)
{
	curl_url_cleanup(*url);
}

static void free_part(char **part)
{
	curl_free(*part);
}

static bool has_part(CURLU *url, CURLUPart which)
{
	CLEANUP(free_part) char *part = NULL;

	return curl_url_get(url, which, &part, 0) == CURLUE_OK;
}

static bool is_http(CURLU *url)
{
	CLEANUP(free_part) char *scheme = NULL;

	return curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
	       (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0);
}

static int fail(struct buf *error, const char *text, const char *why)
{
	buf_printf(error, "--prometheus: \"%s\" %s", text, why);
	return EXIT_USAGE;
}

static int put_parts(CURLU *url, struct server_url *ret)
{
	CLEANUP(free_part) char *scheme = NULL, *host = NULL, *port = NULL, *path = NULL;
	size_t length;

	if (curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK ||
	    curl_url_get(url, CURLUPART_HOST, &host, 0) != CURLUE_OK ||
	    curl_url_get(url, CURLUPART_PATH, &path, 0) != CURLUE_OK)
		return -EINVAL;
	buf_puts(&ret->host, host);
	if (curl_url_get(url, CURLUPART_PORT, &port, 0) == CURLUE_OK)
		buf_printf(&ret->host, ":%s", port);
	length = strlen(path);
	while (length && path[length - 1] == '/')
		length--;
	buf_printf(&ret->base, "%s://%s%.*s", scheme, buf_text(&ret->host), (int)length, path);
	return ret->base.failed || ret->host.failed ? -ENOMEM : 0;
}

/* Not repeated in the message: a user and a password may be in it. */
static int fail_hidden(struct buf *error, const char *why)
{
	buf_printf(error, "--prometheus: %s", why);
	return EXIT_USAGE;
}

static int check(CURLU *url, const char *text, struct buf *error)
{
	const unsigned guess = strstr(text, "://") ? 0 : CURLU_GUESS_SCHEME;

	if (curl_url_set(url, CURLUPART_URL, text, guess) != CURLUE_OK)
		return strchr(text, '@')
			       ? fail_hidden(error, "no URL")
			       : fail(error, text, "is not a URL, such as http://localhost:9090");
	if (has_part(url, CURLUPART_USER) || has_part(url, CURLUPART_PASSWORD))
		return fail_hidden(error, "a URL with a user is refused, since all users of this "
					  "machine can read command lines; use --user-file or "
					  "--token-file");
	if (!is_http(url))
		return fail(error, text, "is neither http nor https");
	if (has_part(url, CURLUPART_QUERY) || has_part(url, CURLUPART_FRAGMENT))
		return fail(error, text, "has a query or a fragment; only the address is needed");
	return 0;
}

int server_url_parse(const char *text, struct server_url *ret, struct buf *error)
{
	CLEANUP(free_url) CURLU *url = curl_url();
	int code = url ? check(url, text, error) : EXIT_INTERNAL;

	if (code == 0 && put_parts(url, ret) < 0)
		code = EXIT_INTERNAL;
	if (code == EXIT_INTERNAL)
		buf_puts(error, "out of memory");
	return code;
}
