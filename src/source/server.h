/*
 * Asking tt_allocd: one packet there, and an answer that comes in pieces. Never waits for longer
 * than it is told.
 *
 * Older servers know no pieces: they refuse such a question (-EBADMSG) and close the connection.
 * Asked again without WIRE_WANT_STREAM or WIRE_DUMP_STREAM, they answer with a sealed memfd, which
 * is read here as well.
 */
#pragma once

#include "basic/macros.h"
#include "proto/snapshot_image.h"
#include "proto/wire_socket.h"

#include <stdint.h>

struct server_bytes {
	void *data;
	size_t length;
};

/* An answer, checked. */
struct server_answer {
	struct server_bytes bytes;
	struct image_view view;
};

/*
 * Connects. -ENOENT, -ECONNREFUSED: no server. Where it listens: docs/protocol.md.
 * Returns a descriptor.
 */
MUST_CHECK int server_connect(void);

/* The same, and where: also where the last attempt failed. */
MUST_CHECK int server_connect_at(char path[static WIRE_PATH_SIZE]);

/* What the server says why it refuses; "" if it says nothing. */
#define SERVER_WHY_SIZE WIRE_TEXT

/*
 * Asks, with flags of enum wire_snapshot_flag, and waits for so long. -ETIMEDOUT; -EBADMSG if the
 * answer is none; else the error that the server told.
 */
MUST_CHECK int server_ask(int fd, uint32_t flags, uint32_t pid, int64_t timeout_ns,
			  struct server_answer *ret, char why[static SERVER_WHY_SIZE]);
void server_answer_done(struct server_answer *answer);

/* The server's own text of what is held. flags: of enum wire_dump_flag. */
MUST_CHECK int server_dump(int fd, uint32_t flags, int64_t timeout_ns, struct server_bytes *ret,
			   char why[static SERVER_WHY_SIZE]);
void server_bytes_done(struct server_bytes *bytes);
