#include "fleet/question.h"

#include "basic/exit_code.h"
#include "fleet/promql.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

void question_add(struct question_set *set, const char *expression, const char *matchers,
		  struct vector_reader reader)
{
	size_t i = set->count++;

	assert(i < MAX_QUESTIONS);
	promql_put(&set->texts[i], expression, matchers);
	set->readers[i] = reader;
	set->requests[i].path = "/api/v1/query";
	set->requests[i].query = buf_text(&set->texts[i]);
}

/* Why an answer is useless, from the result of its reader. Returns an exit code. */
static int fail(const struct http_client *client, const char *path, int r, const struct buf *reason,
		struct buf *error)
{
	if (r == -ENOMEM) {
		buf_puts(error, "out of memory");
		return EXIT_INTERNAL;
	}
	buf_printf(error, "%s%s: ", http_client_url(client), path);
	if (r == -EREMOTEIO)
		buf_printf(error, "the server refuses the query: %s", buf_text(reason));
	else
		buf_puts(error, "the answer is not that of a Prometheus server");
	return EXIT_NO_SERVER;
}

static int read_answer(const struct question_set *set, size_t i, const struct http_client *client,
		       struct buf *error)
{
	const struct request *request = &set->requests[i];
	CLEANUP_BUF struct buf reason = { 0 };
	int r = vector_read(buf_text(&request->answer), request->answer.length, &set->readers[i],
			    &reason);

	return r < 0 ? fail(client, request->path, r, &reason, error) : 0;
}

int question_ask(struct question_set *set, struct http_client *client, struct buf *error)
{
	int code = 0;

	for (size_t i = 0; i < set->count; i++)
		if (set->texts[i].failed)
			return fail(client, "", -ENOMEM, NULL, error);
	code = http_client_ask(client, set->requests, set->count, error);
	for (size_t i = 0; i < set->count && !code; i++)
		code = read_answer(set, i, client, error);
	return code;
}

void question_done(struct question_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		buf_done(&set->texts[i]);
		buf_done(&set->requests[i].answer);
	}
	set->count = 0;
}
