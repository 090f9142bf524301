/*
 * The legacy protocol: that of the proof of concept allocation_server_poc, as its clients speak it.
 *
 * A byte stream of packed records, the same in both directions, without magic, version or length.
 * Four sizes exist: 72, 112, 128 and 144 bytes. The first 40 bytes are the same in all; the rest
 * (the tail) is used in answers only and is zero in a request. A record's first byte, its type, is
 * never zero. This determines the size: a request is complete after 72 bytes, and the next nonzero
 * byte begins the next record, so it must be at one of the four distances, which is then the size
 * of every record of that connection.
 *
 * docs/protocol.md has the layout and the server's reaction to each type.
 */
#pragma once

#include "basic/macros.h"
#include "proto/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEGACY_SOCKET	 "/tmp/tt_allocation_server.sock"
#define LEGACY_SIZE_MIN	 72u
#define LEGACY_SIZE_MAX	 144u
#define LEGACY_SIZES	 4u
#define LEGACY_BYTES_MAX (UINT64_C(100) << 30) /* of one allocation; the limit of the original */

extern const uint16_t legacy_sizes[LEGACY_SIZES]; /* 72, 112, 128, 144 */

enum legacy_type {
	LEGACY_ALLOC = 1,
	LEGACY_FREE = 2,
	LEGACY_QUERY = 3,
	LEGACY_RESPONSE = 4,
	LEGACY_DUMP_REMAINING = 5,
	LEGACY_DEVICE_INFO_QUERY = 6,
	LEGACY_DEVICE_INFO_RESPONSE = 7,
	LEGACY_CB_ALLOC = 8,
	LEGACY_CB_FREE = 9,
	LEGACY_KERNEL_LOAD = 10,
	LEGACY_KERNEL_UNLOAD = 11,
	LEGACY_DUMP_KERNELS = 12,
};

/* The first 40 bytes. */
struct legacy_record {
	enum legacy_type type;
	int32_t device;	     /* logical id; -1 in LEGACY_DEVICE_INFO_QUERY: the number of devices */
	uint64_t size;	     /* bytes; 0 in early clients' CB_FREE and KERNEL_UNLOAD */
	uint8_t buffer_type; /* ALLOC: see legacy_pool(); KERNEL_LOAD: the class */
	/* as claimed by the client, to be compared with the peer's; 0 in the demo's FREE */
	int32_t pid;
	uint64_t buffer_id;
	uint64_t timestamp; /* wall clock ns, or 0 */
};

/* The tail of a DEVICE_INFO_RESPONSE: 112 bytes and more. */
struct legacy_device_info {
	uint64_t total_dram;
	uint64_t total_l1;
	uint32_t arch; /* 0 invalid, 1 Grayskull, 2 Wormhole_B0, 3 Blackhole, 4 Quasar */
	uint32_t dram_channels;
	uint64_t dram_per_channel; /* sent as 32 bits; larger values as UINT32_MAX */
	uint32_t l1_per_core;
	uint32_t available;
	uint32_t devices;
};

/* The parser state of one connection. Initialize with zeros. */
struct legacy_stream {
	uint8_t data[LEGACY_SIZE_MAX]; /* the record that is being received */
	uint16_t have;
	uint16_t size; /* of each record; 0 until the second one begins */
	bool taken;    /* the record in data was returned; its tail has not arrived yet */
};

/*
 * Parses bytes as they arrive. Returns 1 and a record, 0 if all bytes were consumed and none is
 * complete, -EBADMSG if the data cannot be divided into records (the stream is unusable from then
 * on): an unknown type, or a record at an invalid distance. *ret_used is the number of bytes
 * consumed: call again with the rest.
 *
 * A record is returned once 72 bytes of it have arrived, or all of it if the size is known; the
 * rest is skipped. Its type is one of enum legacy_type; no other field is checked, see
 * legacy_report_fault().
 */
MUST_CHECK int legacy_feed(struct legacy_stream *stream, const void *data, size_t length,
			   size_t *ret_used, struct legacy_record *ret);

/*
 * The size of an answer: that of the connection's records if it is known, otherwise the number of
 * bytes received of the latest, if that is a valid size. -EAGAIN if it is not: more bytes are to
 * come.
 */
MUST_CHECK int legacy_answer_size(const struct legacy_stream *stream);

/* Is this a possible state? For one that was saved. */
bool legacy_stream_is_valid(const struct legacy_stream *stream);

/* Is the stream between two records? If not, a hang-up has truncated one. */
bool legacy_stream_is_whole(const struct legacy_stream *stream);

/* Is it a report of new memory? */
bool legacy_takes_memory(const struct legacy_record *record);

/* Can one allocation be this large? */
bool legacy_size_is_plausible(const struct legacy_record *record);

/*
 * Why a report is invalid; NULL if it is valid. Programs that were built against the original send
 * such records and die of SIGPIPE if they lose the connection: the caller ignores the record and
 * continues.
 */
const char *legacy_report_fault(const struct legacy_record *record);

/* The pool for the buffer type of an ALLOC; POOL_COUNT: none. */
enum pool legacy_pool(const struct legacy_record *record);

/* Answers of the given size; those of 128 and 144 bytes include circular buffers and kernels. */
void legacy_encode_totals(int32_t device, const uint64_t bytes[POOL_COUNT], size_t size,
			  uint8_t out[LEGACY_SIZE_MAX]);
void legacy_encode_device_info(int32_t device, const struct legacy_device_info *info, size_t size,
			       uint8_t out[LEGACY_SIZE_MAX]);
