/* Fuzzes the legacy stream: the records must not depend on how the bytes are split. */
#include "proto/legacy.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct result {
	size_t records;
	uint64_t sum; /* checksum of all records, in order */
	int end;      /* 0 or -EBADMSG */
	int answer;
	bool whole;
};

static void record_add(struct result *result, const struct legacy_record *record)
{
	const uint64_t fields[] = { record->type,	   (uint32_t)record->device,
				    record->size,	   record->buffer_type,
				    (uint32_t)record->pid, record->buffer_id,
				    record->timestamp };

	/* Accepted values are used as array indices. */
	if (record->type < LEGACY_ALLOC || record->type > LEGACY_DUMP_KERNELS ||
	    (!legacy_report_fault(record) &&
	     ((uint32_t)record->device >= TABLE_DEVICES ||
	      (record->type == LEGACY_ALLOC && legacy_pool(record) >= POOL_COUNT))))
		abort();
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		result->sum = result->sum * 31 + fields[i];
	result->records++;
}

/* Feeds all bytes in pieces of this size. */
static struct result stream_run(const uint8_t *data, size_t size, size_t piece)
{
	struct legacy_stream stream = { 0 };
	struct result result = { 0 };

	for (size_t at = 0; at < size && result.end == 0;) {
		size_t length = MIN(piece, size - at), used;
		struct legacy_record record;
		int r = legacy_feed(&stream, data + at, length, &used, &record);

		if (used > length || (r == 0 && used != length))
			abort();
		if (r == 1)
			record_add(&result, &record);
		if (r < 0)
			result.end = r;
		at += used;
	}
	result.answer = legacy_answer_size(&stream);
	result.whole = legacy_stream_is_whole(&stream);
	return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t pieces[] = { 1, 7, 72, 100, 144 };
	struct result all = stream_run(data, size, size);

	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		struct result cut = stream_run(data, size, pieces[i]);

		if (cut.records != all.records || cut.sum != all.sum || cut.end != all.end)
			abort();
		if (all.end == 0 && (cut.answer != all.answer || cut.whole != all.whole))
			abort();
	}
	return 0;
}
