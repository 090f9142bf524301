#include "serve/stream.h"

#include "basic/clock.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum {
	BLOCK_BYTES = 4096,
	/* What the kernel keeps for a client that does not read: one or two documents. */
	SEND_BYTES = 64 << 10,
};

/* How long a client may take for a document. */
static const int64_t patience_ns = 180 * NS_PER_S;

/* A stream without samples shows after this time that it is still there. */
static const int64_t quiet_ns = 15 * NS_PER_S;

struct stream_event {
	unsigned refs;
	struct buf text;
};

struct stream {
	struct stream *next;
	struct stream_set *set;
	struct MHD_Connection *connection;
	struct http_connection *entry;
	struct stream_event *event; /* being sent; NULL: none */
	size_t sent;		    /* of its text */
	uint64_t serial;	    /* of the last event */
	bool suspended;
};

static struct stream_event *event_unref(struct stream_event *event)
{
	if (event && --event->refs == 0) {
		buf_done(&event->text);
		free(event);
	}
	return NULL;
}

/* ---- one stream ---- */

static void begin_event(struct stream *stream)
{
	const struct stream_set *set = stream->set;

	if (!set->latest || set->serial == stream->serial)
		return;
	stream->event = set->latest;
	stream->event->refs++;
	stream->sent = 0;
	stream->serial = set->serial;
	stream->entry->deadline_ns = clock_now(CLOCK_MONOTONIC) + patience_ns;
}

/* The library asks for the next bytes, since the client can take some. */
static ssize_t read_stream(void *arg, uint64_t position, char *out, size_t size)
{
	struct stream *stream = arg;
	size_t length;

	(void)position;
	if (!stream->event)
		begin_event(stream);
	if (!stream->event) {
		stream->entry->deadline_ns = INT64_MAX;
		stream->suspended = true;
		MHD_suspend_connection(stream->connection);
		return 0;
	}
	length = MIN(size, stream->event->text.length - stream->sent);
	memcpy(out, stream->event->text.data + stream->sent, length);
	stream->sent += length;
	if (stream->sent == stream->event->text.length)
		stream->event = event_unref(stream->event);
	return (ssize_t)length;
}

static void resume(struct stream *stream)
{
	if (!stream->suspended)
		return;
	stream->suspended = false;
	MHD_resume_connection(stream->connection);
}

static void free_stream(void *arg)
{
	struct stream *stream = arg;
	struct stream **link = &stream->set->first;

	while (*link != stream)
		link = &(*link)->next;
	*link = stream->next;
	event_unref(stream->event);
	free(stream);
}

/* ---- all of them ---- */

/* Takes the text; without memory the event is left out. */
static void publish(struct stream_set *set, struct buf *text)
{
	struct stream_event *event = text->failed ? NULL : calloc(1, sizeof(*event));

	if (!event)
		return;
	buf_fit(text);
	*event = (struct stream_event){ .refs = 1, .text = *text };
	*text = (struct buf){ 0 };
	event_unref(set->latest);
	set->latest = event;
	set->serial++;
	set->published_ns = clock_now(CLOCK_MONOTONIC);
	for (struct stream *stream = set->first; stream; stream = stream->next)
		resume(stream);
}

static void publish_sample(struct stream_set *set, const struct served_sample *record)
{
	CLEANUP_BUF struct buf text = { 0 };

	buf_printf(&text, "id: %" PRIu64 "\ndata: ", record->number);
	set->put(&text, set, record);
	buf_puts(&text, "\n");
	publish(set, &text);
}

static void publish_comment(struct stream_set *set)
{
	CLEANUP_BUF struct buf text = { 0 };

	buf_puts(&text, ": no new sample\n\n");
	publish(set, &text);
}

void streams_update(struct stream_set *set, const struct served_sample *record)
{
	if (!set->first) {
		set->latest = event_unref(set->latest);
		set->sample = 0;
		return;
	}
	if (record && record->number != set->sample && record->snapshot)
		publish_sample(set, record);
	else if (clock_now(CLOCK_MONOTONIC) - set->published_ns > quiet_ns)
		publish_comment(set);
	set->sample = record ? record->number : 0;
}

struct MHD_Response *stream_open(struct stream_set *set, struct MHD_Connection *connection,
				 struct http_connection *entry)
{
	static const int bytes = SEND_BYTES;
	int fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	struct stream *stream = calloc(1, sizeof(*stream));
	struct MHD_Response *response;

	if (!stream)
		return NULL;
	response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_BYTES, read_stream,
						     stream, free_stream);
	if (!response) {
		free(stream);
		return NULL;
	}
	(void)!setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	*stream = (struct stream){
		.next = set->first,
		.set = set,
		.connection = connection,
		.entry = entry,
	};
	set->first = stream;
	return response;
}

void streams_stop(struct stream_set *set)
{
	for (struct stream *stream = set->first; stream; stream = stream->next)
		resume(stream);
	set->latest = event_unref(set->latest);
}
