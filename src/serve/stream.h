/*
 * Server-sent events: one document for each sample. A document is made once for all clients, and
 * only if there are any. A client holds the one that it is being sent and then gets the latest: a
 * client that reads slowly skips samples, and costs no more memory than others.
 */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"
#include "serve/collector.h"
#include "serve/connections.h"

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

struct stream;
struct stream_event;

/* The streams of a server that get the same documents. Zero: none. */
struct stream_set {
	/* Writes the document of a record, on one line. */
	void (*put)(struct buf *out, const struct stream_set *set,
		    const struct served_sample *record);
	const void *arg;  /* for it */
	bool hide_owners; /* of processes, in the documents */
	struct stream *first;
	uint64_t sample;	     /* number of the last one that was looked at */
	uint64_t serial;	     /* of the latest event */
	struct stream_event *latest; /* NULL: none since there are streams */
	int64_t published_ns;
};

/*
 * The answer that is a new stream, which ends with it. The deadline of the entry is kept at the
 * time at which the connection is to be ended, if it does not read. NULL: out of memory.
 */
struct MHD_Response *stream_open(struct stream_set *set, struct MHD_Connection *connection,
				 struct http_connection *entry);

/* Sends the record (NULL: there is none), if it is a new one, to all streams. */
void streams_update(struct stream_set *set, const struct served_sample *record);

/* Lets the library close the connections of all streams. */
void streams_stop(struct stream_set *set);
