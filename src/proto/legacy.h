/*
 * The socket protocol of the first allocation server, as its clients speak it.
 *
 * A byte stream of packed records, the same in both directions, with no magic,
 * version or length. Four sizes exist: 72, 112, 128 and 144 bytes. The first 40
 * bytes are the same in all; the rest (the tail) only means something in an
 * answer and is zero in a request. A record's first byte, its type, is never
 * zero. That is enough to find the size without guessing: a request is known
 * after 72 bytes, and the next byte that is not zero begins the next record, so
 * it must stand at one of the four distances, which is then the size of every
 * record of that connection.
 *
 * docs/protocol.md has the layout and what the server does with each type.
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
#define LEGACY_BYTES_MAX (UINT64_C(100) << 30) /* one allocation; the original's limit */

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
	int32_t device;	     /* logical id; -1 in LEGACY_DEVICE_INFO_QUERY: how many? */
	uint64_t size;	     /* bytes; 0 in early clients' CB_FREE and KERNEL_UNLOAD */
	uint8_t buffer_type; /* of ALLOC: see legacy_pool(); of KERNEL_LOAD: the class */
	int32_t pid;	     /* claimed: compare with the peer's; 0 in the demo's FREE */
	uint64_t buffer_id;
	uint64_t timestamp; /* wall clock ns, or 0 */
};

/* The tail of a DEVICE_INFO_RESPONSE: 112 bytes and more. */
struct legacy_device_info {
	uint64_t total_dram;
	uint64_t total_l1;
	uint32_t arch; /* 0 invalid, 1 Grayskull, 2 Wormhole_B0, 3 Blackhole, 4 Quasar */
	uint32_t dram_channels;
	uint64_t dram_per_channel; /* sent with 32 bits: more is sent as UINT32_MAX */
	uint32_t l1_per_core;
	uint32_t available;
	uint32_t devices;
};

/* One connection. Zeroed to begin with. */
struct legacy_stream {
	uint8_t data[LEGACY_SIZE_MAX]; /* of the record that is arriving */
	uint16_t have;
	uint16_t size; /* of a record; 0 until the second one begins */
	bool taken;    /* the record in data was handed out; its tail is still to come */
};

/*
 * Takes bytes as they arrive. Returns 1 and a record, 0 if all bytes were used
 * and none is complete, -EBADMSG if the bytes cannot be cut into records (the stream
 * cannot be used any more): an unknown type, or a record at a distance that is no
 * size. *ret_used says how many bytes were taken: call again with the rest.
 *
 * A record is handed out once 72 bytes of it are there, or all when the size is
 * known; what follows is skipped. Its type is one of enum legacy_type; no other
 * field is checked, see legacy_report_fault().
 */
MUST_CHECK int legacy_feed(struct legacy_stream *stream, const void *data, size_t length,
			   size_t *ret_used, struct legacy_record *ret);

/*
 * The size an answer must have: that of the connection's records if it is known,
 * otherwise the bytes received of the latest, if a record can be that long.
 * -EAGAIN if it cannot: more of it is on the way.
 */
MUST_CHECK int legacy_answer_size(const struct legacy_stream *stream);

/* Can a stream be in this state? Of one that was written down. */
bool legacy_stream_is_valid(const struct legacy_stream *stream);

/* Is the stream between two records? If not, a hang-up cut one in half. */
bool legacy_stream_is_whole(const struct legacy_stream *stream);

/* ALLOC, FREE and their kin: records that change what a process holds. */
bool legacy_is_report(const struct legacy_record *record);

/* Of those, the ones that take memory. */
bool legacy_takes_memory(const struct legacy_record *record);

/* Can one allocation be this large? */
bool legacy_size_is_plausible(const struct legacy_record *record);

/*
 * Why a report cannot be accounted for; NULL if it can. Programs that were built
 * against the original send such records and die of SIGPIPE if they lose the
 * connection: the caller ignores the record and goes on.
 */
const char *legacy_report_fault(const struct legacy_record *record);

/* The pool an ALLOC's buffer type means; POOL_COUNT: none. */
enum pool legacy_pool(const struct legacy_record *record);

/* Answers of the given size; circular buffers and kernels are in those of 128 and 144 bytes only.
 */
void legacy_encode_totals(int32_t device, const uint64_t bytes[POOL_COUNT], size_t size,
			  uint8_t out[LEGACY_SIZE_MAX]);
void legacy_encode_device_info(int32_t device, const struct legacy_device_info *info, size_t size,
			       uint8_t out[LEGACY_SIZE_MAX]);
