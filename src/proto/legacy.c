#include "proto/legacy.h"

#include "proto/le.h"

#include <errno.h>

const uint16_t legacy_sizes[LEGACY_SIZES] = { 72, 112, 128, 144 };

/*
 * Buffer types of an ALLOC. The original Python client numbers L1_SMALL 2 and TRACE 3; a program
 * with TT-Metal numbers them 3 and 4. TT-Metal's own 2 is host memory, which its allocator never
 * returns, so a 2 is L1_SMALL in either case. A 3 is ambiguous: it counts as L1_SMALL, as in the
 * original server.
 */
enum {
	BUFFER_DRAM = 0,
	BUFFER_L1 = 1,
	BUFFER_L1_SMALL = 2,
	BUFFER_METAL_L1_SMALL = 3,
	BUFFER_TRACE = 4,
};

enum { KERNEL_CLASS_MAX = 2 }; /* 0 application, 1 fabric, 2 dispatch */

static bool size_is_known(size_t size)
{
	for (size_t i = 0; i < LEGACY_SIZES; i++) {
		if (legacy_sizes[i] == size)
			return true;
	}
	return false;
}

static void put32(uint8_t *to, uint32_t value)
{
	value = htole32(value);
	memcpy(to, &value, sizeof(value));
}

static void put64(uint8_t *to, uint64_t value)
{
	value = htole64(value);
	memcpy(to, &value, sizeof(value));
}

static void head_decode(const uint8_t *data, struct legacy_record *ret)
{
	*ret = (struct legacy_record){
		.type = (enum legacy_type)data[0],
		.device = (int32_t)le32_at(data + 4),
		.size = le64_at(data + 8),
		.buffer_type = data[16],
		.pid = (int32_t)le32_at(data + 20),
		.buffer_id = le64_at(data + 24),
		.timestamp = le64_at(data + 32),
	};
}

static void head_encode(enum legacy_type type, int32_t device, uint8_t out[LEGACY_SIZE_MAX])
{
	memset(out, 0, LEGACY_SIZE_MAX);
	out[0] = (uint8_t)type;
	put32(out + 4, (uint32_t)device);
}

static bool type_is_known(uint8_t type)
{
	return type >= LEGACY_ALLOC && type <= LEGACY_DUMP_KERNELS;
}

static bool device_is_valid(int32_t device)
{
	return device >= 0 && device < (int32_t)TABLE_DEVICES;
}

bool legacy_takes_memory(const struct legacy_record *record)
{
	return record->type == LEGACY_ALLOC || record->type == LEGACY_CB_ALLOC ||
	       record->type == LEGACY_KERNEL_LOAD;
}

/* ALLOC, FREE and similar: records that change what a process holds. */
static bool is_report(const struct legacy_record *record)
{
	return legacy_takes_memory(record) || record->type == LEGACY_FREE ||
	       record->type == LEGACY_CB_FREE || record->type == LEGACY_KERNEL_UNLOAD;
}

bool legacy_size_is_plausible(const struct legacy_record *record)
{
	return record->size > 0 && record->size <= LEGACY_BYTES_MAX;
}

const char *legacy_report_fault(const struct legacy_record *record)
{
	if (!is_report(record))
		return "not a request";
	if (!device_is_valid(record->device))
		return "device outside of 0 to 63";
	if (!legacy_takes_memory(record))
		return NULL;
	if (record->size == 0)
		return "size 0";
	if (!legacy_size_is_plausible(record))
		return "size above 100 GiB";
	if (record->type == LEGACY_ALLOC && record->buffer_type > BUFFER_TRACE)
		return "unknown buffer type";
	if (record->type == LEGACY_KERNEL_LOAD && record->buffer_type > KERNEL_CLASS_MAX)
		return "unknown kernel class";
	return NULL;
}

/*
 * Skips the tail of a record whose size is not determined yet. The first nonzero byte begins the
 * next record and thereby determines the size. Returns 1 when the record has ended, 0 if more bytes
 * are needed.
 */
static int tail_skip(struct legacy_stream *stream, const uint8_t *data, size_t length, size_t *used)
{
	while (*used < length && data[*used] == 0 && stream->have < LEGACY_SIZE_MAX) {
		stream->have++;
		(*used)++;
	}
	if (*used == length)
		return 0;
	if (!size_is_known(stream->have))
		return -EBADMSG;
	stream->size = stream->have;
	return 1;
}

/* Collects bytes up to the given length of the record. Returns 1 when it is reached. */
static int bytes_gather(struct legacy_stream *stream, size_t until, const uint8_t *data,
			size_t length, size_t *used)
{
	size_t take = MIN(until - stream->have, length - *used);

	memcpy(stream->data + stream->have, data + *used, take);
	stream->have += (uint16_t)take;
	*used += take;
	return stream->have == until;
}

int legacy_feed(struct legacy_stream *stream, const void *data, size_t length, size_t *ret_used,
		struct legacy_record *ret)
{
	const uint8_t *bytes = data;
	int r;

	*ret_used = 0;
	if (stream->taken) {
		r = stream->size ? 1 : tail_skip(stream, data, length, ret_used);
		if (r <= 0)
			return r;
		stream->taken = false;
		stream->have = 0;
	}
	/* Checked at once, since data of another protocol may never fill a record. */
	if (stream->have == 0 && *ret_used < length && !type_is_known(bytes[*ret_used]))
		return -EBADMSG;
	if (!bytes_gather(stream, stream->size ? stream->size : LEGACY_SIZE_MIN, data, length,
			  ret_used))
		return 0;

	stream->taken = true;
	head_decode(stream->data, ret);
	return 1;
}

int legacy_answer_size(const struct legacy_stream *stream)
{
	if (stream->size)
		return stream->size;
	return size_is_known(stream->have) ? stream->have : -EAGAIN;
}

bool legacy_stream_is_valid(const struct legacy_stream *stream)
{
	if (stream->size)
		return size_is_known(stream->size) && stream->have <= stream->size;
	return stream->have <= (stream->taken ? LEGACY_SIZE_MAX : LEGACY_SIZE_MIN);
}

bool legacy_stream_is_whole(const struct legacy_stream *stream)
{
	if (stream->have == 0)
		return true;
	return stream->taken && (stream->size || size_is_known(stream->have));
}

enum pool legacy_pool(const struct legacy_record *record)
{
	static const enum pool pools[] = {
		[BUFFER_DRAM] = POOL_DRAM,	   [BUFFER_L1] = POOL_L1,
		[BUFFER_L1_SMALL] = POOL_L1_SMALL, [BUFFER_METAL_L1_SMALL] = POOL_L1_SMALL,
		[BUFFER_TRACE] = POOL_TRACE,
	};

	return record->buffer_type <= BUFFER_TRACE ? pools[record->buffer_type] : POOL_COUNT;
}

void legacy_encode_totals(int32_t device, const uint64_t bytes[POOL_COUNT], size_t size,
			  uint8_t out[LEGACY_SIZE_MAX])
{
	static const enum pool order[] = { POOL_DRAM,  POOL_L1, POOL_L1_SMALL,
					   POOL_TRACE, POOL_CB, POOL_KERNEL };
	size_t count = size < 128 ? 4 : ARRAY_SIZE(order);

	head_encode(LEGACY_RESPONSE, device, out);
	for (size_t i = 0; i < count; i++)
		put64(out + 40 + 8 * i, bytes[order[i]]);
}

void legacy_encode_device_info(int32_t device, const struct legacy_device_info *info, size_t size,
			       uint8_t out[LEGACY_SIZE_MAX])
{
	/* After the figures of circular buffers and kernels, if the size includes them. */
	uint8_t *tail = out + (size >= 128 ? 88 : 72);

	head_encode(LEGACY_DEVICE_INFO_RESPONSE, device, out);
	if (size < 112)
		return;
	put64(tail, info->total_dram);
	put64(tail + 8, info->total_l1);
	put32(tail + 16, info->arch);
	put32(tail + 20, info->dram_channels);
	put32(tail + 24, (uint32_t)MIN(info->dram_per_channel, UINT32_MAX));
	put32(tail + 28, info->l1_per_core);
	put32(tail + 32, info->available);
	put32(tail + 36, info->devices);
}
