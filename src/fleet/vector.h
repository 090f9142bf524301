/*
 * Reads the answer of a Prometheus-compatible server to an instant query (/api/v1/query): an
 * instant vector, that is, series with labels and one value each. Sees text, never sockets.
 */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"

#include <stdbool.h>
#include <stddef.h>

enum { MAX_LABELS = 64 };

/* The labels of one series. */
struct label_set {
	struct buf text; /* names and values, each NUL-terminated */
	size_t count;
	size_t names[MAX_LABELS], values[MAX_LABELS]; /* offsets in the text */
};

/* NULL: there is no such label. */
const char *label_get(const struct label_set *labels, const char *name);

/* The same, "" if there is none: to Prometheus both mean the same. */
const char *label_text(const struct label_set *labels, const char *name);

struct vector_reader {
	/*
	 * Called for each series; a value that is not finite is left out. -errno ends the reading.
	 */
	int (*visit)(void *arg, const struct label_set *labels, double value);
	void *arg;
};

/*
 * 0; -EBADMSG: it is no such answer; -EREMOTEIO: the server reports an error, whose text is
 * appended to error; or what visit() returned.
 */
MUST_CHECK int vector_read(const char *text, size_t length, const struct vector_reader *reader,
			   struct buf *error);

/*
 * Is there a rule whose name begins so in the answer to /api/v1/rules? 1 or 0; -EBADMSG,
 * -EREMOTEIO as above.
 */
MUST_CHECK int rules_have(const char *text, size_t length, const char *prefix, struct buf *error);
