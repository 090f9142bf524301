/*
 * Asking tt_allocd: one packet there, one back with a sealed memfd that holds all
 * it knows. Never waits for longer than it is told.
 */
#pragma once

#include "basic/macros.h"
#include "proto/snapshot_image.h"

#include <stdint.h>

/* An answer, mapped and checked. */
struct server_answer {
	void *data;
	size_t length;
	struct image_view view;
};

/*
 * Connects. -ENOENT, -ECONNREFUSED: no server. Where it listens: docs/protocol.md.
 * Returns a descriptor.
 */
MUST_CHECK int server_connect(void);

/* The same, and where: also where the last attempt failed. */
#define SERVER_PATH_SIZE 108
MUST_CHECK int server_connect_at(char path[static SERVER_PATH_SIZE]);

/*
 * Asks once, with flags of enum wire_snapshot_flag, and waits for so long.
 * -ETIMEDOUT; -EBADMSG if the answer is none; else the error that the server told.
 */
MUST_CHECK int server_ask(int fd, uint32_t flags, uint32_t pid, int64_t timeout_ns,
			  struct server_answer *ret);
void server_answer_done(struct server_answer *answer);

/* The server's own text of what is held, as a descriptor to read; or -errno. */
MUST_CHECK int server_dump(int fd, int64_t timeout_ns);
