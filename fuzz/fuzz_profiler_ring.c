/*
 * Fuzzes the reader of TT-Metal's profiler: the input is the memory of the process, which may
 * contain anything, from some page on. Figures are then computed from the same bytes as records.
 */
#include "fuzz.h"

#include "metal/profiler_ring.h"
#include "metal/program_figure.h"

#include <errno.h>
#include <string.h>

#define BASE UINT64_C(0x7f1234500000)
#define NOW  INT64_C(5000000000)

struct memory {
	const uint8_t *data;
	size_t size;
};

static struct program_record records[PROFILER_RECORDS];
static uint8_t pages[PROFILER_RING];

/* Bytes after the input are 0, since the ring is larger than any input. */
static int read_memory(void *arg, uint64_t address, void *to, size_t length)
{
	const struct memory *memory = arg;
	uint64_t at = address - BASE;

	if (address < BASE || at > (64U << 20))
		return -EFAULT;
	memset(to, 0, length);
	if (at < memory->size)
		memcpy(to, memory->data + at, MIN(length, memory->size - at));
	return 0;
}

static void judge(struct profiler_batch *batch)
{
	struct program_launches launches = { 0 };
	struct program_figure figure;
	struct program_stream stream;
	const struct program_batch records_of = { .records = batch->records,
						  .count = batch->count,
						  .lost = batch->lost,
						  .since = NOW - 250000000,
						  .now = NOW };

	program_stream_init(&stream, NOW - 250000000);
	program_clock_set(&stream.clock, batch->first_tick, batch->host_ns, batch->ticks_per_ns);
	program_stream_add(&stream, &records_of);
	program_figure_judge(&figure, &stream, &launches, NOW);
	CHECK(!figure.is_known || (figure.busy >= 0 && figure.busy <= figure.window));
	CHECK(!figure.is_known || figure.bound == PROGRAM_LOWER);
	program_stream_done(&stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory memory = { data, size };
	const struct metal_memory from = { read_memory, &memory };
	struct profiler_batch batch = { .records = records, .ticks_per_ns = 1.0 };
	struct profiler_ring rings[PROFILER_CHIPS];
	int count = profiler_rings_find(&from, BASE, rings, PROFILER_CHIPS);

	CHECK(count <= PROFILER_CHIPS);
	for (int i = 0; i < count; i++) {
		CHECK(rings[i].chip < PROFILER_CHIPS);
		rings[i].position = 0;
		if (profiler_ring_read(&rings[i], &from, pages, &batch) == 0)
			judge(&batch);
	}
	batch.count = 0;
	for (size_t at = 0; at + PROFILER_RECORD <= size && batch.count < PROFILER_RECORDS;
	     at += PROFILER_RECORD)
		if (profiler_record_decode(data + at, &batch.records[batch.count]))
			batch.count++;
	judge(&batch);
	return 0;
}
