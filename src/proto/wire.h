/*
 * Messages on tt_allocd's own socket. docs/protocol.md describes their meaning and must be changed
 * together with this file.
 *
 * One packet of a SOCK_SEQPACKET socket is one message: a header and a body of fixed size, in host
 * byte order, since both ends are on one machine. These functions handle bytes only: the caller
 * handles descriptors, and closes those of a message that is refused.
 */
#pragma once

#include "basic/macros.h"

#include <stddef.h>
#include <stdint.h>

#define WIRE_MAGIC   0x44415454u /* "TTAD" on a little-endian machine */
#define WIRE_VERSION 1u
#define WIRE_HEADER  16u  /* bytes: magic, version, type, length, 0 */
#define WIRE_MAX     128u /* size of the longest message */
#define WIRE_TEXT    104u /* size of the longest error text, including the NUL */

enum wire_type {
	WIRE_HELLO = 1,	  /* client: its table (1 descriptor) */
	WIRE_WELCOME = 2, /* server: accepts the table */
	WIRE_ERROR = 3,	  /* server: refuses, with the reason */

	WIRE_SNAPSHOT = 16,	  /* monitor: requests a snapshot */
	WIRE_SNAPSHOT_REPLY = 17, /* server: the snapshot (1 descriptor: proto/snapshot_image.h) */
	WIRE_DUMP = 18,		  /* monitor: requests a text */
	WIRE_DUMP_REPLY = 19,	  /* server: the text (1 descriptor) */
	WIRE_ANSWER = 20,	  /* server: an answer of this length follows */
	WIRE_DATA = 21,		  /* server: the next bytes of it, see wire_data_size() */
};

enum wire_snapshot_flag {
	/* single allocations: those of the requester's processes, or all for root */
	WIRE_WANT_ALLOCATIONS = 1 << 0,
	WIRE_WANT_FINISHED = 1 << 1, /* accounts of finished processes */
	WIRE_WANT_STREAM = 1 << 2,   /* answer by WIRE_ANSWER */
};

enum wire_dump_flag {
	WIRE_DUMP_KERNELS = 1 << 0, /* kernels only */
	WIRE_DUMP_STREAM = 1 << 1,  /* answer by WIRE_ANSWER */
};

struct wire_hello {
	uint32_t table_version; /* TABLE_VERSION of the client */
	uint32_t flags;		/* 0 */
};

struct wire_welcome {
	uint32_t slot_limit; /* maximum slots that the server lists per client */
	uint32_t flags;	     /* 0 */
};

struct wire_error {
	uint32_t code;	      /* errno, never 0 */
	uint32_t retry_ms;    /* minimum time before the next request; 0: not given */
	char text[WIRE_TEXT]; /* one sentence, NUL-terminated, padded with NULs */
};

struct wire_snapshot {
	uint32_t flags; /* bits of enum wire_snapshot_flag */
	uint32_t pid;	/* list allocations of this process only; 0: of all */
};

struct wire_dump {
	uint32_t flags; /* bits of enum wire_dump_flag */
	uint32_t reserved;
};

struct wire_reply {
	uint64_t length; /* bytes of the answer */
};

struct wire_message {
	enum wire_type type;
	union {
		struct wire_hello hello;
		struct wire_welcome welcome;
		struct wire_error error;
		struct wire_snapshot snapshot;
		struct wire_dump dump;
		struct wire_reply reply; /* to a snapshot or a dump */
		uint8_t body[WIRE_MAX - WIRE_HEADER];
	};
};

/* Maximum bytes of an answer in one packet: with the header, 64 KiB. */
#define WIRE_DATA_MAX (65536u - WIRE_HEADER)

/* The header of a WIRE_DATA packet with this many bytes, 1 to WIRE_DATA_MAX. */
void wire_data_header(size_t size, uint8_t out[WIRE_HEADER]);

/* Number of bytes after the header of a packet with this length. -EBADMSG: not a WIRE_DATA. */
MUST_CHECK int wire_data_size(const uint8_t header[WIRE_HEADER], size_t length);

/* Number of descriptors in a message of this type: 0 or 1. */
unsigned wire_descriptors(enum wire_type type);

/*
 * Returns the number of bytes to send, at most WIRE_MAX. The type must be one of the above; an
 * error text is truncated to fit.
 */
size_t wire_encode(const struct wire_message *message, uint8_t out[WIRE_MAX]);

/*
 * Decodes one packet, given the number of descriptors that came with it. -EPROTONOSUPPORT: our
 * magic, but another version. -EBADMSG: any other error. The output is untouched on failure.
 */
MUST_CHECK int wire_decode(const void *data, size_t length, unsigned descriptors,
			   struct wire_message *ret);
