/*
 * A client of tt_allocd: sends a request in one packet and receives an answer in pieces, within a
 * deadline.
 *
 * Older servers do not support pieces: they refuse such a request (-EBADMSG) and close the
 * connection. Without WIRE_WANT_STREAM or WIRE_DUMP_STREAM they answer with a sealed memfd, which
 * is supported here as well.
 */
#pragma once

#include "basic/macros.h"
#include "proto/server_path.h"
#include "proto/snapshot_image.h"
#include "proto/wire.h"

#include <stdint.h>

/* Commands for messages. */
#define SERVER_START   "sudo systemctl enable --now tt-allocd.socket, or start tt_allocd by hand"
#define SERVER_RESTART "sudo systemctl restart tt-allocd"

struct server_bytes {
	void *data;
	size_t length;
};

/* An answer that was validated. */
struct server_answer {
	struct server_bytes bytes;
	struct image_view view;
};

/*
 * Connects and returns a descriptor. -ENOENT, -ECONNREFUSED: no server. docs/protocol.md has the
 * paths.
 */
MUST_CHECK int server_connect(void);

/* The same, and returns the path that was tried last. */
MUST_CHECK int server_connect_at(char path[static SERVER_PATH_SIZE]);

/* The server's reason for a refusal; "" if it gives none. */
#define SERVER_WHY_SIZE WIRE_TEXT

/*
 * Requests a snapshot, with flags of enum wire_snapshot_flag, and waits for at most timeout_ns.
 * -ETIMEDOUT; -EBADMSG if the answer is invalid; else the server's error.
 */
MUST_CHECK int server_ask(int fd, uint32_t flags, uint32_t pid, int64_t timeout_ns,
			  struct server_answer *ret, char why[static SERVER_WHY_SIZE]);
void server_answer_done(struct server_answer *answer);

/* Requests a text that lists allocations. flags: of enum wire_dump_flag. */
MUST_CHECK int server_dump(int fd, uint32_t flags, int64_t timeout_ns, struct server_bytes *ret,
			   char why[static SERVER_WHY_SIZE]);
void server_bytes_done(struct server_bytes *bytes);
