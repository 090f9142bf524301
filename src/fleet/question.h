/* A set of queries that are sent together, and the reading of their answers. */
#pragma once

#include "fleet/http_client.h"
#include "fleet/vector.h"

enum { MAX_QUESTIONS = 12 };

struct question_set {
	struct request requests[MAX_QUESTIONS];
	struct buf texts[MAX_QUESTIONS];
	struct vector_reader readers[MAX_QUESTIONS];
	size_t count;
};

/* Adds an expression, in which '@' stands for the matchers. */
void question_add(struct question_set *set, const char *expression, const char *matchers,
		  struct vector_reader reader);

/* Sends all and reads the answers. Returns an exit code, with the reason in error. */
MUST_CHECK int question_ask(struct question_set *set, struct http_client *client,
			    struct buf *error);
void question_done(struct question_set *set);
