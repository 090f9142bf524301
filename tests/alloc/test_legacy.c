/*
 * The legacy stream: all record sizes, split anywhere.
 */
#include "reader.h"

#include "proto/legacy.h"

#define RECORDS 3

static const struct legacy_record script[RECORDS] = {
	{ LEGACY_ALLOC, 1, 4096, POOL_TRACE, 77, 0x1000, 5 },
	{ LEGACY_CB_ALLOC, 0, 256, 0, 77, 0x2000, 0 },
	{ LEGACY_FREE, 1, 0, 0, 77, 0x1000, 0 },
};

/* A request as a client sends it: as many of these bytes as its records have. */
static void request_write(const struct legacy_record *record, uint8_t out[LEGACY_SIZE_MAX])
{
	memset(out, 0, LEGACY_SIZE_MAX);
	out[0] = (uint8_t)record->type;
	memcpy(out + 4, &record->device, sizeof(record->device));
	memcpy(out + 8, &record->size, sizeof(record->size));
	out[16] = record->buffer_type;
	memcpy(out + 20, &record->pid, sizeof(record->pid));
	memcpy(out + 24, &record->buffer_id, sizeof(record->buffer_id));
	memcpy(out + 32, &record->timestamp, sizeof(record->timestamp));
}

static size_t script_write(size_t size, uint8_t *out)
{
	uint8_t record[LEGACY_SIZE_MAX];

	for (size_t i = 0; i < RECORDS; i++) {
		request_write(&script[i], record);
		memcpy(out + i * size, record, size);
	}
	return RECORDS * size;
}

/* Field by field: the structs have padding. */
static void record_compare(const struct legacy_record *a, const struct legacy_record *b)
{
	assert_int_equal(a->type, b->type);
	assert_int_equal(a->device, b->device);
	assert_int_equal(a->size, b->size);
	assert_int_equal(a->buffer_type, b->buffer_type);
	assert_int_equal(a->pid, b->pid);
	assert_int_equal(a->buffer_id, b->buffer_id);
	assert_int_equal(a->timestamp, b->timestamp);
}

/* Feeds a piece and compares the resulting records with the script. */
static int piece_feed(struct legacy_stream *stream, const uint8_t *data, size_t length,
		      size_t *records)
{
	while (length > 0) {
		struct legacy_record record;
		size_t used;
		int r = legacy_feed(stream, data, length, &used, &record);

		if (r < 0)
			return r;
		if (r == 1) {
			assert_true(*records < RECORDS);
			record_compare(&record, &script[*records]);
			(*records)++;
		} else {
			assert_int_equal(used, length);
		}
		data += used;
		length -= used;
	}
	return 0;
}

/* Fault of the original server: record sizes changed without a version, and fields were misread. */
static void all_four_sizes_are_found_at_every_cut(void **state)
{
	uint8_t data[RECORDS * LEGACY_SIZE_MAX];

	(void)state;
	for (size_t i = 0; i < LEGACY_SIZES; i++) {
		size_t length = script_write(legacy_sizes[i], data);

		for (size_t cut = 0; cut <= length; cut++) {
			struct legacy_stream stream = { 0 };
			size_t records = 0;

			assert_int_equal(piece_feed(&stream, data, cut, &records), 0);
			assert_int_equal(piece_feed(&stream, data + cut, length - cut, &records),
					 0);
			assert_int_equal(records, RECORDS);
			assert_int_equal(legacy_answer_size(&stream), legacy_sizes[i]);
			assert_true(legacy_stream_is_whole(&stream));
		}
	}
}

static void one_byte_at_a_time_is_enough(void **state)
{
	uint8_t data[RECORDS * LEGACY_SIZE_MAX];

	(void)state;
	for (size_t i = 0; i < LEGACY_SIZES; i++) {
		size_t length = script_write(legacy_sizes[i], data), records = 0;
		struct legacy_stream stream = { 0 };

		for (size_t at = 0; at < length; at++)
			assert_int_equal(piece_feed(&stream, data + at, 1, &records), 0);
		assert_int_equal(records, RECORDS);
	}
}

/* A client that queries first and waits has sent one record: its length is the size. */
static void first_question_is_answered_in_its_size(void **state)
{
	const struct legacy_record query = { .type = LEGACY_QUERY };
	uint8_t data[LEGACY_SIZE_MAX];

	(void)state;
	request_write(&query, data);
	for (size_t i = 0; i < LEGACY_SIZES; i++) {
		struct legacy_stream stream = { 0 };
		struct legacy_record record;
		size_t used;

		assert_int_equal(legacy_feed(&stream, data, legacy_sizes[i], &used, &record), 1);
		if (used < legacy_sizes[i])
			assert_int_equal(legacy_feed(&stream, data + used, legacy_sizes[i] - used,
						     &used, &record),
					 0);
		assert_int_equal(legacy_answer_size(&stream), legacy_sizes[i]);
	}
}

static void half_a_tail_is_no_size(void **state)
{
	struct legacy_stream stream = { 0 };
	struct legacy_record record;
	uint8_t data[LEGACY_SIZE_MAX];
	size_t used;

	(void)state;
	request_write(&(struct legacy_record){ .type = LEGACY_QUERY }, data);
	assert_int_equal(legacy_feed(&stream, data, 100, &used, &record), 1);
	assert_int_equal(legacy_feed(&stream, data + used, 100 - used, &used, &record), 0);
	assert_int_equal(legacy_answer_size(&stream), -EAGAIN);
	assert_false(legacy_stream_is_whole(&stream));
}

static void record_at_no_known_distance_is_nonsense(void **state)
{
	uint8_t data[2 * LEGACY_SIZE_MAX] = { 0 }, record[LEGACY_SIZE_MAX];

	(void)state;
	request_write(&script[0], record);
	for (size_t distance = LEGACY_SIZE_MIN; distance <= LEGACY_SIZE_MAX + 1; distance++) {
		struct legacy_stream stream = { 0 };
		struct legacy_record got;
		size_t used, at = 0;
		int r;

		memset(data, 0, sizeof(data));
		memcpy(data, record, LEGACY_SIZE_MIN);
		data[distance] = LEGACY_FREE;
		do {
			r = legacy_feed(&stream, data + at, distance + 1 - at, &used, &got);
			at += used;
		} while (r == 1);
		if (distance == 72 || distance == 112 || distance == 128 || distance == 144)
			assert_int_equal(r, 0);
		else
			assert_int_equal(r, -EBADMSG);
	}
}

static int request_feed(struct legacy_record request, struct legacy_record *ret)
{
	struct legacy_stream stream = { 0 };
	uint8_t data[LEGACY_SIZE_MAX];
	size_t used;

	request_write(&request, data);
	return legacy_feed(&stream, data, LEGACY_SIZE_MIN, &used, ret);
}

/* Why a record that can be framed is ignored; "" if it is not. */
static const char *request_fault(struct legacy_record request)
{
	struct legacy_record got;
	const char *fault;

	assert_int_equal(request_feed(request, &got), 1);
	record_compare(&got, &request);
	fault = legacy_report_fault(&got);
	return fault ? fault : "";
}

/* Fault of the original server: an unknown type means that the data is not records, or is
 * misaligned. */
static void unknown_types_cannot_be_framed(void **state)
{
	(void)state;
	for (int type = 0; type < 256; type++) {
		struct legacy_record got, request = { .type = (enum legacy_type)type, .size = 1 };

		assert_int_equal(request_feed(request, &got),
				 type >= 1 && type <= 12 ? 1 : -EBADMSG);
	}
}

/*
 * Fault of the original server: device ids indexed arrays. Records that can be framed are returned,
 * and checked separately.
 */
static void odd_reports_are_told_apart(void **state)
{
	static const enum legacy_type taking[] = { LEGACY_ALLOC, LEGACY_CB_ALLOC,
						   LEGACY_KERNEL_LOAD };
	static const enum legacy_type giving[] = { LEGACY_FREE, LEGACY_CB_FREE,
						   LEGACY_KERNEL_UNLOAD };
	static const int32_t devices[] = { -1, INT32_MIN, TABLE_DEVICES, 77, INT32_MAX };
	struct legacy_record r;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(taking); i++) {
		r = (struct legacy_record){ .type = taking[i], .device = 63, .size = 1 };
		assert_string_equal(request_fault(r), "");
		r.size = LEGACY_BYTES_MAX;
		assert_string_equal(request_fault(r), "");
		r.size = LEGACY_BYTES_MAX + 1;
		assert_string_equal(request_fault(r), "size above 100 GiB");
		r.size = UINT64_MAX;
		assert_string_equal(request_fault(r), "size above 100 GiB");
		r.size = 0;
		assert_string_equal(request_fault(r), "size 0");
	}
	for (size_t i = 0; i < ARRAY_SIZE(devices); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(taking); k++) {
			r = (struct legacy_record){ taking[k], devices[i], 1, 0, 0, 0, 0 };
			assert_string_equal(request_fault(r), "device outside of 0 to 63");
			r.type = giving[k];
			assert_string_equal(request_fault(r), "device outside of 0 to 63");
		}
	}
	r = (struct legacy_record){ .type = LEGACY_ALLOC, .size = 1, .buffer_type = 4 };
	assert_string_equal(request_fault(r), "");
	r.buffer_type = 5;
	assert_string_equal(request_fault(r), "unknown buffer type");
	r = (struct legacy_record){ .type = LEGACY_KERNEL_LOAD, .size = 1, .buffer_type = 2 };
	assert_string_equal(request_fault(r), "");
	r.buffer_type = 3;
	assert_string_equal(request_fault(r), "unknown kernel class");
	r = (struct legacy_record){ .type = LEGACY_CB_ALLOC, .size = 1, .buffer_type = 255 };
	assert_string_equal(request_fault(r), "");
	assert_string_equal(request_fault((struct legacy_record){ .type = LEGACY_RESPONSE }),
			    "not a request");
}

/*
 * Fault of the original server: two numberings of buffer types. The Python client's L1_SMALL is 2,
 * TT-Metal's is 3.
 */
static void both_numbers_of_l1_small_are_l1_small(void **state)
{
	static const enum pool expected[] = { POOL_DRAM,     POOL_L1,	 POOL_L1_SMALL,
					      POOL_L1_SMALL, POOL_TRACE, POOL_COUNT };

	(void)state;
	for (uint8_t i = 0; i < ARRAY_SIZE(expected); i++) {
		struct legacy_record record = { .type = LEGACY_ALLOC, .buffer_type = i };

		assert_int_equal(legacy_pool(&record), expected[i]);
	}
}

/* Fault of the original server: CB_FREE and KERNEL_UNLOAD arrived with size 0. */
static void frees_without_a_size_are_taken(void **state)
{
	(void)state;
	assert_string_equal(request_fault((struct legacy_record){ .type = LEGACY_CB_FREE }), "");
	assert_string_equal(request_fault((struct legacy_record){ .type = LEGACY_KERNEL_UNLOAD }),
			    "");
}

static uint64_t at64(const uint8_t *data, size_t offset)
{
	uint64_t value;

	memcpy(&value, data + offset, sizeof(value));
	return value;
}

static uint32_t at32(const uint8_t *data, size_t offset)
{
	uint32_t value;

	memcpy(&value, data + offset, sizeof(value));
	return value;
}

/* Offsets as a compiler laid out the four records, not as in their comments. */
static void answers_have_the_offsets_of_their_size(void **state)
{
	const uint64_t totals[POOL_COUNT] = { [POOL_DRAM] = 1,	[POOL_L1] = 2, [POOL_L1_SMALL] = 3,
					      [POOL_TRACE] = 4, [POOL_CB] = 5, [POOL_KERNEL] = 6 };
	const struct legacy_device_info info = { 7, 8, 3, 12, UINT64_C(1) << 32, 10, 1, 32 };
	uint8_t data[LEGACY_SIZE_MAX];

	(void)state;
	for (size_t i = 0; i < LEGACY_SIZES; i++) {
		size_t size = legacy_sizes[i], base = size >= 128 ? 88 : 72;

		legacy_encode_totals(5, totals, size, data);
		assert_int_equal(data[0], LEGACY_RESPONSE);
		assert_int_equal(at32(data, 4), 5);
		for (size_t j = 0; j < 4; j++)
			assert_int_equal(at64(data, 40 + 8 * j), j + 1);
		if (size >= 128) {
			assert_int_equal(at64(data, 72), 5);
			assert_int_equal(at64(data, 80), 6);
		}
		if (size == 72)
			continue;
		legacy_encode_device_info(5, &info, size, data);
		assert_int_equal(data[0], LEGACY_DEVICE_INFO_RESPONSE);
		assert_int_equal(at64(data, base), 7);
		assert_int_equal(at64(data, base + 8), 8);
		assert_int_equal(at32(data, base + 16), 3);
		assert_int_equal(at32(data, base + 20), 12);
		assert_int_equal(at32(data, base + 24), UINT32_MAX); /* does not fit: saturates */
		assert_int_equal(at32(data, base + 28), 10);
		assert_int_equal(at32(data, base + 32), 1);
		assert_int_equal(at32(data, base + 36), 32);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_four_sizes_are_found_at_every_cut),
		cmocka_unit_test(one_byte_at_a_time_is_enough),
		cmocka_unit_test(first_question_is_answered_in_its_size),
		cmocka_unit_test(half_a_tail_is_no_size),
		cmocka_unit_test(record_at_no_known_distance_is_nonsense),
		cmocka_unit_test(unknown_types_cannot_be_framed),
		cmocka_unit_test(odd_reports_are_told_apart),
		cmocka_unit_test(both_numbers_of_l1_small_are_l1_small),
		cmocka_unit_test(frees_without_a_size_are_taken),
		cmocka_unit_test(answers_have_the_offsets_of_their_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
