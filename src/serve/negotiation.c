#include "serve/negotiation.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* One element of a list such as "text/plain;version=0.0.4;q=0.5, text/html". */
struct accepted {
	const char *name;
	size_t length;
	const char *version; /* NULL: not given */
	size_t version_length;
	double quality;
};

/* A part of an element, without the blanks around it. */
static const char *next_part(const char *at, const char *ends, const char **ret, size_t *ret_length)
{
	size_t length;

	at += strspn(at, " \t");
	length = strcspn(at, ends);
	*ret = at;
	*ret_length = length;
	while (*ret_length && strchr(" \t", at[*ret_length - 1]))
		--*ret_length;
	return at + length;
}

static void parse_parameter(const char *text, size_t length, struct accepted *accepted)
{
	static const char version[] = "version=", quality[] = "q=";

	if (length > strlen(version) && strncasecmp(text, version, strlen(version)) == 0) {
		accepted->version = text + strlen(version);
		accepted->version_length = length - strlen(version);
	} else if (length > strlen(quality) && strncasecmp(text, quality, strlen(quality)) == 0) {
		accepted->quality = strtod(text + strlen(quality), NULL);
	}
}

/* Parses the next element of a list. False: there is none. */
static bool next_accepted(const char **list, struct accepted *ret)
{
	const char *at = *list + strspn(*list, ", \t"), *parameter;
	size_t length;

	if (!*at)
		return false;
	*ret = (struct accepted){ .quality = 1 };
	at = next_part(at, ",;", &ret->name, &ret->length);
	while (*at == ';') {
		at = next_part(at + 1, ",;", &parameter, &length);
		parse_parameter(parameter, length, ret);
	}
	*list = at;
	return true;
}

static bool is_word(const char *text, size_t length, const char *word)
{
	return length == strlen(word) && strncasecmp(text, word, length) == 0;
}

static bool is_openmetrics(const struct accepted *accepted)
{
	return is_word(accepted->name, accepted->length, "application/openmetrics-text") &&
	       (!accepted->version ||
		is_word(accepted->version, accepted->version_length, "1.0.0") ||
		is_word(accepted->version, accepted->version_length, "0.0.1"));
}

enum metrics_format accept_format(const char *accept)
{
	double openmetrics = 0, text = 0;
	struct accepted accepted;

	while (accept && next_accepted(&accept, &accepted)) {
		if (is_openmetrics(&accepted))
			openmetrics = MAX(openmetrics, accepted.quality);
		else if (is_word(accepted.name, accepted.length, "text/plain"))
			text = MAX(text, accepted.quality);
	}
	return openmetrics > 0 && openmetrics >= text ? METRICS_OPENMETRICS : METRICS_TEXT;
}

bool accepts_gzip(const char *encodings)
{
	struct accepted accepted;

	while (encodings && next_accepted(&encodings, &accepted))
		if (is_word(accepted.name, accepted.length, "gzip"))
			return accepted.quality > 0;
	return false;
}
