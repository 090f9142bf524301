#include "preload/program_records.h"

#include "basic/clock.h"
#include "metal/profiler_ring.h"
#include "preload/operations.h"
#include "preload/programs.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

enum { BATCH = 1024 };

/* The clock is compared with the records of this time, not with each few that arrive together. */
#define SPAN (200 * NS_PER_MS)

struct chip_records {
	bool has_stream, is_usable, is_fitted;
	bool is_ambiguous; /* see add_record() */
	struct profiler_ring ring;
	struct program_stream stream;
	struct program_arrivals span; /* records since the clock was last compared, */
	int64_t span_since;	      /* and when that was */
};

/* Zeroed by the kernel in a forked child. */
struct records {
	struct lock lock;
	bool has_chip_first; /* see records_add() */
	int64_t named_ns;
	uint64_t states[PROFILER_CHIPS]; /* DeviceStates that were checked, and how many */
	uint8_t chip_of[PROFILER_CHIPS];
	size_t n_states;
	struct chip_records chips[PROFILER_CHIPS];
	struct program_record batch[BATCH];
	struct program_interval intervals[BATCH + 1];
	struct operations operations;
};

static struct records *the_records;

static struct records *records_get(void)
{
	struct records *records = __atomic_load_n(&the_records, __ATOMIC_ACQUIRE), *first = NULL;

	if (records)
		return records;
	records = programs_memory(sizeof(*records));
	if (!records || __atomic_compare_exchange_n(&the_records, &first, records, 0,
						    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return records;
	munmap(records, sizeof(*records));
	return first; /* another thread has allocated it meanwhile */
}

/* ---- one chip ---- */

static void chip_begin(struct chip_records *chip, const struct program_table *table)
{
	if (chip->has_stream)
		return;
	chip->has_stream = true;
	chip->span_since = (int64_t)table->created;
	program_stream_init(&chip->stream, chip->span_since);
}

/*
 * Compares the clock with the records of a span, earlier if a record shows that the clock is wrong.
 */
static void chip_fit(struct chip_records *chip, const struct program_batch *batch)
{
	struct program_stream *stream = &chip->stream;
	struct program_limits limits;

	if (batch->count == 0)
		return;
	program_stream_look(stream, batch, &limits);
	program_arrivals_add(&chip->span, batch->records, batch->count);
	if (chip->is_fitted && batch->now - chip->span_since < SPAN &&
	    !(chip->is_usable && !program_clock_is_within(&limits)))
		return;
	chip->is_usable = program_clock_fit(&stream->clock, &chip->span, &limits, chip->span_since,
					    batch->now);
	chip->is_fitted = true;
	chip->span = (struct program_arrivals){ 0 };
	chip->span_since = batch->now;
}

/* Adds busy times and ends of programs to the series that are published. */
static void chip_move(struct program_table_chip *cell, const struct chip_records *chip,
		      const struct program_batch *batch)
{
	const struct program_intervals *busy = &chip->stream.busy;

	for (size_t i = busy->first; i < busy->first + busy->count; i++)
		program_series_add_time(&cell->busy, busy->list[i].start, busy->list[i].end);
	for (size_t i = 0; i < batch->count; i++) {
		int64_t end = program_clock_ns(&chip->stream.clock, batch->records[i].end);

		program_series_add_one(&cell->ended, MIN(end, batch->now));
	}
}

static void chip_publish(struct program_table_chip *cell, const struct chip_records *chip)
{
	const struct program_stream *stream = &chip->stream;
	const uint64_t words[STREAM_WORDS] = {
		[STREAM_FLAGS] = STREAM_IS_USED | (chip->is_usable ? STREAM_IS_USABLE : 0) |
				 (chip->is_ambiguous ? STREAM_IS_AMBIGUOUS : 0) |
				 (stream->clock.is_measured ? STREAM_IS_MEASURED : 0),
		[STREAM_RECORDS] = stream->n_records,
		[STREAM_ADVANCED] = stream->n_advanced,
		[STREAM_FAULTY] = (uint64_t)stream->faulty_ns,
		[STREAM_LAST_END] = (uint64_t)stream->last_end,
		[STREAM_ARRIVED] = (uint64_t)stream->arrived_ns,
		[STREAM_ADJUSTED] = (uint64_t)MAX(stream->clock.adjusted_ns, 0),
		[STREAM_MISFIT] = (uint64_t)MAX(stream->clock.misfit_ns, 0),
		[STREAM_DRIFT] = (uint64_t)stream->drift_ns,
		[STREAM_SET_BACK] = (uint64_t)stream->set_back_ns,
	};

	seqlock_write(&cell->seq, cell->stream[0], STREAM_WORDS, words);
}

/* Adds a batch that has arrived now. */
static void chip_add(struct records *records, struct chip_records *chip,
		     struct program_table *table, struct program_table_chip *cell, size_t count,
		     uint64_t invalid, int64_t now)
{
	struct program_stream *stream = &chip->stream;
	const struct program_batch batch = {
		.records = records->batch,
		.count = count,
		.lost = invalid,
		.since = chip->span_since,
		.now = now,
		.launches = &table->launches,
		.queue = word_load(&cell->has_queue) ? &cell->queue : NULL,
	};

	chip_fit(chip, &batch);
	if (!chip->is_usable) {
		stream->faulty_ns = now;
	} else if (count || invalid) {
		/*
		 * The stream needs a list of intervals only for this batch: no memory is allocated.
		 */
		stream->busy =
			(struct program_intervals){ .list = records->intervals, .room = BATCH + 1 };
		program_stream_put(stream, &batch);
		chip_move(cell, chip, &batch);
		stream->busy = (struct program_intervals){ 0 };
	}
	chip_publish(cell, chip);
}

/* ---- names ---- */

static void count_names(struct records *records, struct program_table *table, size_t count,
			int64_t now)
{
	uint64_t words[OPERATION_WORDS] = { [OPERATION_AT] = (uint64_t)now };

	for (size_t i = 0; i < count; i++)
		operations_count(&records->operations, records->batch[i].id,
				 records->batch[i].end - records->batch[i].start);
	if (now - records->named_ns < PROGRAM_WINDOW_NS)
		return;
	records->named_ns = now;
	strncpy((char *)&words[OPERATION_NAME], operations_take(&records->operations),
		PROGRAM_TABLE_OPERATION - 1);
	seqlock_write(&table->operation_seq, table->operation[0], OPERATION_WORDS, words);
}

void records_name(const struct library *library, uint16_t id, const char *text, size_t length)
{
	int64_t now;
	struct records *records = programs_table(library, &now) ? records_get() : NULL;

	if (records && text && length)
		operations_set(&records->operations, id, text, length);
}

/* ---- v0.76 and later ---- */

/* Reads by a system call, which fails where a plain read of an unknown layout would crash. */
static int read_checked(void *arg, uint64_t address, void *to, size_t length)
{
	struct iovec local = { to, length };
	struct iovec remote = { (void *)(uintptr_t)address, length };
	ssize_t n = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);

	(void)arg;
	return n < 0 ? -errno : (size_t)n == length ? 0 : -EFAULT;
}

/* For objects that were checked before: they exist while TT-Metal passes them to this library. */
static int read_directly(void *arg, uint64_t address, void *to, size_t length)
{
	(void)arg;
	memcpy(to, (const void *)(uintptr_t)address, length);
	return 0;
}

static struct chip_records *add_state(struct records *records, uint64_t state)
{
	const struct metal_memory memory = { read_checked, NULL };
	struct profiler_ring ring;
	int saved = errno, found = profiler_ring_find(&memory, state, &ring);
	size_t at = 0;

	errno = saved;
	if (found != 1)
		return NULL;
	/* Replace the old DeviceState of a chip whose device was opened again. */
	while (at < records->n_states && records->chip_of[at] != ring.chip &&
	       records->states[at] != state)
		at++;
	records->n_states = MAX(records->n_states, at + 1);
	records->states[at] = state;
	records->chip_of[at] = (uint8_t)ring.chip;
	records->chips[ring.chip].ring = ring;
	return &records->chips[ring.chip];
}

/* NULL: the layout is unknown. Stores the anchor of the clock in *batch. */
static struct chip_records *find_state(struct records *records, uint64_t state,
				       struct profiler_batch *batch)
{
	const struct metal_memory memory = { read_directly, NULL };
	struct chip_records *chip = NULL;

	for (size_t i = 0; i < records->n_states && !chip; i++)
		if (records->states[i] == state)
			chip = &records->chips[records->chip_of[i]];
	if (chip && profiler_ring_check(&chip->ring, &memory, batch) == 0)
		return chip;
	chip = add_state(records, state);
	return chip && profiler_ring_check(&chip->ring, &memory, batch) == 0 ? chip : NULL;
}

static void publish(struct records *records, struct program_table *table, const void *state,
		    const uint8_t *pages, uint32_t count, int64_t now)
{
	struct profiler_batch batch = { .records = records->batch };
	struct chip_records *chip = find_state(records, (uint64_t)(uintptr_t)state, &batch);
	struct program_table_chip *cell = chip ? programs_cell(table, chip->ring.chip) : NULL;

	if (!chip)
		programs_refuse(table);
	if (!cell)
		return;
	chip_begin(chip, table);
	if (program_clock_set(&chip->stream.clock, batch.first_tick, batch.host_ns,
			      batch.ticks_per_ns))
		chip->is_fitted = false;
	for (uint32_t at = 0; at < count; at += BATCH) {
		batch.count = 0;
		batch.invalid = 0;
		profiler_pages_decode(&batch, pages + (size_t)at * PROFILER_RECORD,
				      MIN(count - at, BATCH) * PROFILER_RECORD);
		count_names(records, table, batch.count, now);
		chip_add(records, chip, table, cell, batch.count, batch.invalid, now);
	}
}

void records_publish(const struct library *library, const void *state, const void *pages,
		     uint32_t count)
{
	int64_t now;
	struct program_table *table = programs_table(library, &now);
	struct records *records = table ? records_get() : NULL;

	if (!records || !count)
		return;
	if (count > PROFILER_RECORDS) {
		programs_refuse(table);
		return;
	}
	lock_take(&records->lock);
	publish(records, table, state, pages, count, now);
	lock_release(&records->lock);
}

/* ---- v0.71 to v0.75 ---- */

/* A ProgramRealtimeRecord, as far as both of its forms agree. */
struct record_part {
	uint32_t id;
	uint32_t chip; /* v0.71 and v0.72: not used */
	uint64_t start, end;
	double ticks_per_ns;
};

/*
 * Releases have the number of the chip at one of two places. Only newer ones can have a number
 * other than 0 at the first; until one is seen, the records may be of several chips.
 */
static void add_record(struct records *records, struct program_table *table,
		       const struct record_part *record, int64_t now)
{
	struct chip_records *chip = &records->chips[record->chip];
	struct program_table_chip *cell = programs_cell(table, record->chip);

	if (!cell)
		return;
	records->has_chip_first |= record->chip != 0;
	chip_begin(chip, table);
	if (program_clock_set(&chip->stream.clock, 0, 0, record->ticks_per_ns))
		chip->is_fitted = false;
	records->batch[0] =
		(struct program_record){ record->start, record->end, (uint16_t)record->id };
	count_names(records, table, 1, now);
	chip->is_ambiguous = !records->has_chip_first;
	chip_add(records, chip, table, cell, 1, 0, now);
}

void records_add(const struct library *library, const void *record)
{
	struct program_table *table;
	struct records *records;
	struct record_part part;
	int64_t now;

	if (library->real[INTERPOSED_PUBLISH])
		return; /* records_publish() has received them already */
	table = programs_table(library, &now);
	records = table ? records_get() : NULL;
	if (!records)
		return;
	memcpy(&part, record, sizeof(part));
	if (part.chip >= PROFILER_CHIPS || part.end < part.start || !part.start) {
		programs_refuse(table);
		return;
	}
	if (!(uint16_t)part.id)
		return;
	lock_take(&records->lock);
	add_record(records, table, &part, now);
	lock_release(&records->lock);
}
