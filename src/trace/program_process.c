#include "trace/program_process.h"

#include "basic/clock.h"
#include "trace/process_stat.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

/*
 * Names are looked up for at most this many records of a sample, of all chips together: each is a
 * system call. Chips of a mesh run the same operations.
 */
#define NAMES_MAX 256

static int read_memory(void *arg, uint64_t address, void *to, size_t length)
{
	struct program_process *process = arg;
	struct iovec local = { to, length };
	struct iovec remote = { (void *)(uintptr_t)address, length };
	ssize_t n = process_vm_readv((pid_t)process->tgid, &local, 1, &remote, 1, 0);

	process->work += SHARE_CALL + MAX(n, 0);
	if (n < 0)
		return -errno;
	return (size_t)n == length ? 0 : -EFAULT;
}

struct program_process *program_process_new(uint32_t tgid, uint64_t start, int operations,
					    int64_t now, struct program_share **shares)
{
	struct program_process *process = calloc(1, sizeof(*process));

	if (!process)
		return NULL;
	process->tgid = tgid;
	process->start = start;
	process->uid = process_stat_owner((pid_t)tgid);
	process->share = program_share_get(shares, process->uid);
	if (!process->share) {
		free(process);
		return NULL;
	}
	process->operations = operations;
	process->first_ns = now;
	return process;
}

static void chip_done(struct program_chip *chip)
{
	program_stream_done(&chip->stream);
	free(chip->kept);
}

void program_process_restart(struct program_process *process)
{
	for (size_t i = 0; i < process->n_chips; i++)
		chip_done(&process->chips[i]);
	program_share_return_chips(process->share, process->n_chips);
	free(process->chips);
	process->chips = NULL;
	process->n_chips = 0;
	process->manager = 0;
	process->has_chip_first = false;
}

struct program_process *program_process_free(struct program_process *process,
					     struct program_share **shares)
{
	if (!process)
		return NULL;
	program_process_restart(process);
	process->share = program_share_put(shares, process->share);
	free(process->pages);
	free(process->batch.records);
	free(process);
	return NULL;
}

struct program_process *program_process_find(struct program_process *list, uint32_t tgid)
{
	while (list && list->tgid != tgid)
		list = list->next;
	return list;
}

struct program_chip *program_process_chip(struct program_process *process, uint32_t chip)
{
	struct program_chip *grown;

	for (size_t i = 0; i < process->n_chips; i++)
		if (process->chips[i].chip == chip)
			return &process->chips[i];
	if (!program_share_take_chip(process->share)) {
		process->is_left_out = true;
		return NULL;
	}
	grown = reallocarray(process->chips, process->n_chips + 1, sizeof(*grown));
	if (!grown) {
		program_share_return_chips(process->share, 1);
		return NULL;
	}
	process->chips = grown;
	grown = &process->chips[process->n_chips++];
	*grown = (struct program_chip){ .chip = chip };
	return grown;
}

/* ---- names ---- */

static void share_add(struct program_process *process, const char *name, uint64_t ticks)
{
	for (size_t i = 0; i < process->n_shares; i++) {
		if (strcmp(process->shares[i].name, name) != 0)
			continue;
		process->shares[i].ticks += ticks;
		return;
	}
	if (process->n_shares == OPERATIONS_COUNTED)
		return;
	process->shares[process->n_shares].ticks = ticks;
	memcpy(process->shares[process->n_shares++].name, name, PROGRAM_NAME);
}

/* The kernel copied the name from the process: it may contain anything. */
static void name_clean(char name[static PROGRAM_NAME])
{
	name[PROGRAM_NAME - 1] = '\0';
	for (char *c = name; *c; c++)
		if (*c <= ' ' || *c > '~')
			*c = '_';
}

/*
 * Looks up the names of a selection, evenly spaced, of the newest records of a batch. The map has
 * no names of older ones any more.
 */
static void count_names(struct program_process *process, const struct program_record *records,
			size_t count)
{
	size_t kept = MIN(count, (size_t)PROGRAM_NAMED), step = kept / NAMES_MAX + 1;

	if (process->operations < 0)
		return;
	for (size_t back = 1; back <= kept && process->names_left; back += step) {
		const struct program_record *record = &records[count - back];
		struct trace_operation_key key = { process->tgid, record->id % PROGRAM_NAMED };
		struct trace_operation operation;

		process->names_left--;
		if (bpf_map_lookup_elem(process->operations, &key, &operation) < 0 ||
		    operation.id != record->id)
			continue;
		name_clean(operation.name);
		share_add(process, operation.name, record->end - record->start);
	}
}

void program_process_operation(struct program_process *process, char name[static PROGRAM_NAME])
{
	uint64_t most = 0;

	name[0] = '\0';
	for (size_t i = 0; i < process->n_shares; i++) {
		if (process->shares[i].ticks < most)
			continue;
		most = process->shares[i].ticks;
		memcpy(name, process->shares[i].name, PROGRAM_NAME);
	}
	process->n_shares = 0;
}

/* ---- records ---- */

/*
 * The stream begins with the process if all of its launches are counted, unless some records were
 * overwritten before they were read; otherwise it begins now.
 */
static void begin_stream(const struct program_process *process, struct program_chip *chip,
			 int64_t now)
{
	if (chip->has_stream)
		return;
	chip->read_ns = process->programs.from_start && !chip->is_late
				? (int64_t)process->programs.begun_ns
				: now;
	program_stream_init(&chip->stream, chip->read_ns);
	chip->has_stream = true;
}

/*
 * Adds records that were read between two times. The state of launches was read before.
 */
static void add_records(struct program_process *process, struct program_chip *chip,
			struct program_record *records, size_t count, uint64_t lost, int64_t begun,
			int64_t now)
{
	bool is_counted = process->programs.from_start && (!chip->is_late || chip->missed);
	const struct program_batch batch = {
		.records = records,
		.count = count,
		.lost = lost,
		.since = chip->read_ns,
		.now = now,
		.launches = is_counted ? &process->programs.launches : NULL,
		.queue = chip->has_queue ? &chip->queue.state : NULL,
		.missed = chip->missed,
	};

	count_names(process, records, count);
	chip->is_usable = program_stream_add(&chip->stream, &batch);
	chip->read_ns = begun;
}

int program_process_keep(struct program_process *process, uint32_t number, double ticks_per_ns,
			 const struct program_record *record, int64_t arrived)
{
	struct program_chip *chip = program_process_chip(process, number);

	if (!chip)
		return process->is_left_out ? 0 : -ENOMEM;
	if (!chip->kept) {
		chip->kept = calloc(PROFILER_RECORDS, sizeof(*chip->kept));
		if (!chip->kept)
			return -ENOMEM;
		begin_stream(process, chip, arrived);
	}
	if (chip->n_kept == PROFILER_RECORDS)
		chip->n_kept = 0; /* the stream sees the gap in the numbers */
	chip->kept[chip->n_kept++] = *record;
	program_clock_set(&chip->stream.clock, 0, 0, ticks_per_ns);
	program_stream_arrive(&chip->stream, record->end, arrived);
	chip->arrived_ns = arrived;
	return 0;
}

void program_process_take_kept(struct program_process *process, int64_t now)
{
	for (size_t i = 0; i < process->n_chips; i++) {
		struct program_chip *chip = &process->chips[i];

		if (!chip->kept)
			continue;
		if (chip->n_kept)
			now = chip->arrived_ns;
		add_records(process, chip, chip->kept, chip->n_kept, 0, now, now);
		chip->n_kept = 0;
	}
}

static int make_buffers(struct program_process *process)
{
	if (!process->pages)
		process->pages = malloc(PROFILER_RING);
	if (!process->batch.records)
		process->batch.records = calloc(PROFILER_RECORDS, sizeof(*process->batch.records));
	return process->pages && process->batch.records ? 0 : -ENOMEM;
}

/*
 * If launches are counted since the process started, the ring is read from its first record, so
 * that the number of records can be compared with the number of launches.
 */
static int take_ring(struct program_process *process, const struct profiler_ring *ring, int64_t now)
{
	struct program_chip *chip = program_process_chip(process, ring->chip);

	if (!chip)
		return -ENOMEM;
	if (chip->has_ring && chip->ring.data == ring->data && chip->ring.state == ring->state)
		return 0;
	program_stream_done(&chip->stream);
	chip->has_stream = false;
	chip->has_ring = true;
	chip->ring = *ring;
	chip->is_late = ring->position > PROFILER_RING || chip->has_garbage;
	chip->missed = 0;
	if (process->programs.from_start && !chip->is_late)
		chip->ring.position = 0;
	begin_stream(process, chip, now);
	return 0;
}

static int find_rings(struct program_process *process, const struct metal_memory *memory,
		      int64_t now)
{
	struct profiler_ring rings[PROFILER_CHIPS];
	uint64_t manager = process->programs.manager;
	int count, r = 0;

	if (!manager || manager == process->manager)
		return 0;
	count = profiler_rings_find(memory, manager, rings, ARRAY_SIZE(rings));
	for (int i = 0; i < count && r == 0; i++)
		r = take_ring(process, &rings[i], now);
	if (count >= 0 && r == 0)
		process->manager = manager;
	return count < 0 ? count : r;
}

static void read_ring(struct program_process *process, struct program_chip *chip,
		      const struct metal_memory *memory)
{
	struct profiler_batch *batch = &process->batch;
	int64_t begun = clock_now(CLOCK_MONOTONIC), now;
	int r = profiler_ring_read(&chip->ring, memory, process->pages, batch);

	now = clock_now(CLOCK_MONOTONIC);
	if (r == 0 && batch->invalid > batch->count)
		r = -EBADMSG;
	if (r < 0) {
		chip->has_ring = chip->has_stream = chip->is_usable = false;
		program_stream_done(&chip->stream);
		chip->state = r == -EBADMSG ? DISPATCH_UNKNOWN_LAYOUT : DISPATCH_NO_ANSWER;
		chip->has_garbage |= r == -EBADMSG;
		chip->figure = (struct program_figure){ .last = -1 };
		process->manager = 0; /* the rings are searched again */
		return;
	}
	program_clock_set(&chip->stream.clock, batch->first_tick, batch->host_ns,
			  batch->ticks_per_ns);
	add_records(process, chip, batch->records, batch->count, batch->lost + batch->invalid,
		    begun, now);
	chip->state = DISPATCH_OK;
}

static void run(void *arg)
{
	struct program_process *process = arg;
	const struct metal_memory memory = { read_memory, process };
	int64_t now = clock_now(CLOCK_MONOTONIC);

	process->error = find_rings(process, &memory, now);
	if (process->error == 0)
		process->error = make_buffers(process);
	for (size_t i = 0; i < process->n_chips && process->error == 0; i++)
		if (process->chips[i].has_ring)
			read_ring(process, &process->chips[i], &memory);
}

void program_process_begin(struct program_process *process)
{
	process->names_left = NAMES_MAX;
}

struct job *program_process_start(struct program_process *process)
{
	process->job = (struct job){ .run = run, .arg = process };
	return &process->job;
}
