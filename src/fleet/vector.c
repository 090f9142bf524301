#include "fleet/vector.h"

#include "basic/json_reader.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *label_get(const struct label_set *labels, const char *name)
{
	for (size_t i = 0; i < labels->count; i++)
		if (strcmp(buf_text(&labels->text) + labels->names[i], name) == 0)
			return buf_text(&labels->text) + labels->values[i];
	return NULL;
}

const char *label_text(const struct label_set *labels, const char *name)
{
	const char *value = label_get(labels, name);

	return value ? value : "";
}

static size_t add_text(struct label_set *labels, const struct buf *text)
{
	size_t at = labels->text.length;

	buf_add(&labels->text, buf_text(text), text->length);
	buf_putc(&labels->text, '\0');
	return at;
}

/* "metric": { "instance": "node1", … } */
static int read_labels(struct json_reader *json, struct label_set *ret)
{
	enum json_token token;

	ret->count = 0;
	buf_reset(&ret->text);
	if (!json_expect(json, TOKEN_OBJECT))
		return -EBADMSG;
	while ((token = json_next(json)) == TOKEN_KEY) {
		if (ret->count == MAX_LABELS)
			return -EBADMSG;
		ret->names[ret->count] = add_text(ret, &json->text);
		if (!json_expect(json, TOKEN_STRING))
			return -EBADMSG;
		ret->values[ret->count++] = add_text(ret, &json->text);
	}
	if (ret->text.failed)
		return -ENOMEM;
	return token == TOKEN_OBJECT_END ? 0 : -EBADMSG;
}

/* "value": [ 1763200000.781, "64.5" ] */
static int read_value(struct json_reader *json, double *ret)
{
	char *end;

	if (!json_expect(json, TOKEN_ARRAY) || !json_expect(json, TOKEN_NUMBER) ||
	    !json_expect(json, TOKEN_STRING))
		return -EBADMSG;
	*ret = strtod(buf_text(&json->text), &end);
	if (json->text.length == 0 || end != buf_text(&json->text) + json->text.length)
		return -EBADMSG;
	return json_expect(json, TOKEN_ARRAY_END) ? 0 : -EBADMSG;
}

static int read_series(struct json_reader *json, const struct vector_reader *reader,
		       struct label_set *labels)
{
	bool has_labels = false, has_value = false;
	enum json_token token;
	double value = NAN;
	int r = 0;

	while (r == 0 && (token = json_next(json)) == TOKEN_KEY) {
		if (strcmp(buf_text(&json->text), "metric") == 0) {
			r = read_labels(json, labels);
			has_labels = true;
		} else if (strcmp(buf_text(&json->text), "value") == 0) {
			r = read_value(json, &value);
			has_value = true;
		} else if (!json_skip(json)) {
			r = -EBADMSG;
		}
	}
	if (r < 0)
		return r;
	if (token != TOKEN_OBJECT_END || !has_labels || !has_value)
		return -EBADMSG;
	return isfinite(value) ? reader->visit(reader->arg, labels, value) : 0;
}

static int read_result(struct json_reader *json, const struct vector_reader *reader)
{
	struct label_set labels = { .count = 0 };
	enum json_token token;
	int r = 0;

	if (!json_expect(json, TOKEN_ARRAY))
		return -EBADMSG;
	while (r == 0 && (token = json_next(json)) == TOKEN_OBJECT)
		r = read_series(json, reader, &labels);
	buf_done(&labels.text);
	if (r < 0)
		return r;
	return token == TOKEN_ARRAY_END ? 0 : -EBADMSG;
}

/* "data": { "resultType": "vector", "result": [ … ] } */
static int read_vector(struct json_reader *json, const void *arg)
{
	bool is_vector = false, has_result = false;
	enum json_token token;
	int r = 0;

	if (!json_expect(json, TOKEN_OBJECT))
		return -EBADMSG;
	while (r == 0 && (token = json_next(json)) == TOKEN_KEY) {
		if (strcmp(buf_text(&json->text), "resultType") == 0) {
			is_vector = json_expect(json, TOKEN_STRING) &&
				    strcmp(buf_text(&json->text), "vector") == 0;
			r = is_vector ? 0 : -EBADMSG;
		} else if (strcmp(buf_text(&json->text), "result") == 0) {
			r = read_result(json, arg);
			has_result = true;
		} else if (!json_skip(json)) {
			r = -EBADMSG;
		}
	}
	if (r < 0)
		return r;
	return token == TOKEN_OBJECT_END && is_vector && has_result ? 0 : -EBADMSG;
}

struct rule_search {
	const char *prefix;
	bool *found;
};

/* Names of rules: "groups": [ { "rules": [ { "name": … } ] } ] are five levels down. */
static int read_rules(struct json_reader *json, const void *arg)
{
	enum { RULE_LEVELS = 5 };
	const struct rule_search *search = arg;
	unsigned depth = json->depth;
	enum json_token token;

	do {
		token = json_next(json);
		if (token == TOKEN_INVALID)
			return -EBADMSG;
		if (token != TOKEN_KEY || json->depth != depth + RULE_LEVELS ||
		    strcmp(buf_text(&json->text), "name") != 0)
			continue;
		token = json_next(json);
		if (token == TOKEN_STRING &&
		    strncmp(buf_text(&json->text), search->prefix, strlen(search->prefix)) == 0)
			*search->found = true;
	} while (json->depth > depth);
	return 0;
}

/* The frame of all answers: { "status": "success", "data": … }, or "error": "…". */
struct api_answer {
	int (*read_data)(struct json_reader *json, const void *arg);
	const void *arg;
	bool success, failure, has_data;
	struct buf *error;
};

static int read_member(struct json_reader *json, struct api_answer *answer)
{
	const char *key = buf_text(&json->text);

	if (strcmp(key, "status") == 0) {
		if (!json_expect(json, TOKEN_STRING))
			return -EBADMSG;
		answer->success = strcmp(buf_text(&json->text), "success") == 0;
		answer->failure = strcmp(buf_text(&json->text), "error") == 0;
	} else if (strcmp(key, "data") == 0 && !answer->failure) {
		answer->has_data = true;
		return answer->read_data(json, answer->arg);
	} else if (strcmp(key, "error") == 0) {
		if (!json_expect(json, TOKEN_STRING))
			return -EBADMSG;
		buf_reset(answer->error);
		buf_add(answer->error, buf_text(&json->text), json->text.length);
	} else if (!json_skip(json)) {
		return -EBADMSG;
	}
	return 0;
}

static int read_answer(struct json_reader *json, struct api_answer *answer)
{
	enum json_token token;
	int r = 0;

	if (!json_expect(json, TOKEN_OBJECT))
		return -EBADMSG;
	while (r == 0 && (token = json_next(json)) == TOKEN_KEY)
		r = read_member(json, answer);
	if (r < 0)
		return r;
	if (token != TOKEN_OBJECT_END || !json_expect(json, TOKEN_END))
		return -EBADMSG;
	if (answer->failure)
		return -EREMOTEIO;
	return answer->success && answer->has_data ? 0 : -EBADMSG;
}

static int read_document(const char *text, size_t length, struct api_answer *answer)
{
	struct json_reader json = json_reader_make(text, length);
	int r = read_answer(&json, answer);

	json_reader_done(&json);
	return r;
}

int vector_read(const char *text, size_t length, const struct vector_reader *reader,
		struct buf *error)
{
	struct api_answer answer = { .read_data = read_vector, .arg = reader, .error = error };

	return read_document(text, length, &answer);
}

int rules_have(const char *text, size_t length, const char *prefix, struct buf *error)
{
	bool found = false;
	const struct rule_search search = { prefix, &found };
	struct api_answer answer = { .read_data = read_rules, .arg = &search, .error = error };
	int r = read_document(text, length, &answer);

	return r < 0 ? r : found;
}
