#include "preload/programs.h"

#include "alloc/link.h"
#include "alloc/memory.h"
#include "alloc/shared_file.h"
#include "alloc/slow_path.h"
#include "basic/clock.h"
#include "metal/program_names.h"
#include "preload/start.h"
#include "proto/tracking.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum programs_phase { PROGRAMS_NEW, PROGRAMS_ON, PROGRAMS_OFF };

/* A SystemMemoryManager, by the number of its chip. */
struct chip_queue {
	uint64_t manager;
	uint32_t event[2]; /* the last one of each queue number */
	struct lock lock;
};

/* Zeroed by the kernel in a forked child (MADV_WIPEONFORK). */
struct programs {
	uint32_t phase; /* enum programs_phase */
	struct lock lock;
	struct program_table *table; /* a forked child does not have the mapping */
	uint64_t metal;		     /* the copy of TT-Metal whose calls are counted */
	struct chip_queue queues[PROGRAM_TABLE_CHIPS];
};

/* These are not zeroed in a child: it keeps the pointer and must close the descriptor. */
static struct programs *the_programs;
static struct descriptor table_fd = { .fd = -1 };

/* ---- the table ---- */

void *programs_memory(size_t bytes)
{
	struct slow_path path = slow_path_begin();
	void *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory != MAP_FAILED && madvise(memory, bytes, MADV_WIPEONFORK) < 0) {
		munmap(memory, bytes);
		memory = MAP_FAILED;
	}
	slow_path_end(path);
	return memory == MAP_FAILED ? NULL : memory;
}

/* Called in a child after fork(). */
static void fork_child(void)
{
	int saved = errno;

	descriptor_close(&table_fd);
	errno = saved;
}

static struct programs *programs_new(void)
{
	struct programs *programs = programs_memory(sizeof(*programs)), *first = NULL;

	if (!programs)
		return NULL;
	if (!__atomic_compare_exchange_n(&the_programs, &first, programs, 0, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE)) {
		munmap(programs, sizeof(*programs));
		return first; /* another thread has allocated it meanwhile */
	}
	pthread_atfork(NULL, NULL, fork_child);
	return programs;
}

static void header_fill(struct program_table *table)
{
	table->version = PROGRAM_TABLE_VERSION;
	table->header_size = sizeof(*table);
	table->chip_size = sizeof(*table->cells);
	table->chip_count = PROGRAM_TABLE_CHIPS;
	table->pid = (uint64_t)getpid();
	table->start_ticks = shared_file_start_ticks();
	table->created = (uint64_t)clock_now(CLOCK_MONOTONIC);
	word_store(&table->magic, PROGRAM_TABLE_MAGIC);
}

/* The mapping is not inherited by a forked child, which must not write to its parent's table. */
static struct program_table *table_map(int fd)
{
	void *table = mmap(NULL, PROGRAM_TABLE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (table == MAP_FAILED)
		return NULL;
	if (madvise(table, PROGRAM_TABLE_SIZE, MADV_DONTFORK) < 0 ||
	    !memory_prepare(table, sizeof(struct program_table)) || shared_file_seal(fd) < 0) {
		munmap(table, PROGRAM_TABLE_SIZE);
		return NULL;
	}
	return table;
}

static enum programs_phase programs_start(struct programs *programs)
{
	CLEANUP_CLOSE int fd = -1;

	descriptor_close(&table_fd); /* of a parent that bypassed the C library's fork() */
	if (!start_is_counted() || tracking_is_disabled() ||
	    shared_file_new(PROGRAM_TABLE_NAME, PROGRAM_TABLE_SIZE, &fd) < 0)
		return PROGRAMS_OFF;
	programs->table = table_map(fd);
	if (!programs->table)
		return PROGRAMS_OFF;
	header_fill(programs->table);
	descriptor_set(&table_fd, TAKE_FD(fd));
	return PROGRAMS_ON;
}

static uint32_t programs_begin(struct programs *programs)
{
	struct slow_path path = slow_path_begin();
	uint32_t phase;

	lock_take(&programs->lock);
	phase = programs->phase;
	if (phase == PROGRAMS_NEW) {
		phase = programs_start(programs);
		__atomic_store_n(&programs->phase, phase, __ATOMIC_RELEASE);
	}
	lock_release(&programs->lock);
	slow_path_end(path);
	return phase;
}

/* NULL: nothing is published. */
static struct programs *programs_get(void)
{
	struct programs *programs = __atomic_load_n(&the_programs, __ATOMIC_ACQUIRE);
	uint32_t phase;

	if (!programs)
		programs = programs_new();
	if (!programs)
		return NULL;
	phase = __atomic_load_n(&programs->phase, __ATOMIC_ACQUIRE);
	if (phase == PROGRAMS_NEW)
		phase = programs_begin(programs);
	return phase == PROGRAMS_ON ? programs : NULL;
}

static void set_bits(uint64_t *word, uint64_t bits)
{
	if ((word_load(word) & bits) != bits)
		__atomic_fetch_or(word, bits, __ATOMIC_ACQ_REL);
}

static void clear_bits(uint64_t *word, uint64_t bits)
{
	__atomic_fetch_and(word, ~bits, __ATOMIC_ACQ_REL);
}

/*
 * Only the copy of TT-Metal that calls first is counted. False: the call is of another copy, which
 * is noted, since not everything is counted then.
 */
static bool is_counted(struct programs *programs, const struct library *library, uint64_t now)
{
	uint64_t none = 0;

	if (__atomic_load_n(&programs->metal, __ATOMIC_RELAXED) == library->metal)
		return true;
	if (__atomic_compare_exchange_n(&programs->metal, &none, library->metal, 0,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		if (library->real[INTERPOSED_PUBLISH] || library->real[INTERPOSED_RECORD])
			set_bits(&programs->table->flags, PROGRAM_TABLE_HAS_PROFILER);
		if (!library->counted)
			programs_refuse(programs->table);
		return true;
	}
	if (none == library->metal)
		return true;
	word_store(&programs->table->launches.uncounted_ns, now);
	return false;
}

static struct programs *programs_enter(const struct library *library, uint64_t *ret_now)
{
	struct programs *programs = programs_get();

	if (!programs)
		return NULL;
	*ret_now = (uint64_t)clock_now(CLOCK_MONOTONIC);
	return is_counted(programs, library, *ret_now) ? programs : NULL;
}

struct program_table *programs_table(const struct library *library, int64_t *ret_now)
{
	uint64_t now;
	struct programs *programs = programs_enter(library, &now);

	if (!programs)
		return NULL;
	*ret_now = (int64_t)now;
	return programs->table;
}

void programs_refuse(struct program_table *table)
{
	set_bits(&table->flags, PROGRAM_TABLE_IS_REFUSED);
}

static bool has_cell(const struct program_table *table, uint32_t chip)
{
	return word_load(&table->chips) >> chip & 1;
}

struct program_table_chip *programs_cell(struct program_table *table, uint32_t chip)
{
	struct program_table_chip *cell = &table->cells[chip];

	if (has_cell(table, chip))
		return cell;
	if (!memory_prepare(cell, sizeof(*cell)))
		return NULL;
	set_bits(&table->chips, UINT64_C(1) << chip);
	return cell;
}

void programs_follow(const struct library *library)
{
	uint64_t now;

	(void)programs_enter(library, &now);
}

/*
 * A process that is linked with TT-Metal is followed from its start, before it calls any of these
 * functions; one that loads TT-Metal later, from its first call. dlsym() leaves an error for the
 * program's next dlerror() unless it is taken.
 */
__attribute__((constructor)) static void follow_linked(void)
{
	if (dlsym(RTLD_NEXT, PROGRAM_NAME_NEXT_EVENT))
		(void)programs_get();
	else
		(void)dlerror();
}

void programs_profile(const struct library *library, uint32_t chip, bool on)
{
	uint64_t now;
	struct programs *programs = programs_enter(library, &now);

	if (!programs || chip >= PROGRAM_TABLE_CHIPS || !programs_cell(programs->table, chip))
		return;
	if (on)
		set_bits(&programs->table->profiled, UINT64_C(1) << chip);
	else
		clear_bits(&programs->table->profiled, UINT64_C(1) << chip);
}

/* ---- launches ---- */

void programs_launch(const struct library *library, uint64_t queue, bool is_program)
{
	uint64_t now;
	struct programs *programs = programs_enter(library, &now);

	if (programs)
		program_launch(&programs->table->launches, queue, is_program, now);
}

void programs_launch_slow(const struct library *library)
{
	uint64_t now;
	struct programs *programs = programs_enter(library, &now);

	if (programs)
		program_launch_slow(&programs->table->launches, now);
}

void programs_bypass(const struct library *library, bool on)
{
	uint64_t now;
	struct programs *programs = programs_enter(library, &now);

	if (programs)
		word_store(&programs->table->launches.bypassed, on);
}

/* ---- events ---- */

/*
 * Reads the chip number from a SystemMemoryManager: its first member, or its second since v0.68.
 * False: the release is unknown, or the number is invalid.
 */
static bool find_chip(const struct library *library, const void *manager, uint32_t *ret)
{
	size_t offset = library->shape.chip == 24 ? 4 : 0;

	if (!library->counted || library->shape.chip == 0)
		return false;
	memcpy(ret, (const char *)manager + offset, sizeof(*ret));
	return *ret < PROGRAM_TABLE_CHIPS;
}

/* Takes the lock of the chip's queue. NULL: it is not followed, and no lock is taken. */
static struct chip_queue *queue_enter(const struct library *library, const void *manager,
				      struct programs **ret, struct program_table_chip **ret_cell,
				      uint64_t *ret_now)
{
	struct programs *programs = programs_enter(library, ret_now);
	struct chip_queue *queue;
	uint32_t chip;

	*ret = programs;
	if (!programs || !find_chip(library, manager, &chip))
		return NULL;
	*ret_cell = programs_cell(programs->table, chip);
	if (!*ret_cell)
		return NULL;
	queue = &programs->queues[chip];
	lock_take(&queue->lock);
	if (queue->manager == (uint64_t)(uintptr_t)manager)
		return queue;
	/* The device was opened again: events of its old queue will never be completed. */
	queue->manager = (uint64_t)(uintptr_t)manager;
	queue->event[0] = queue->event[1] = 0;
	__atomic_store_n(&(*ret_cell)->queue.open, 0, __ATOMIC_RELAXED);
	(*ret_cell)->queue.chip = chip;
	word_store(&(*ret_cell)->has_queue, 1);
	return queue;
}

void programs_note_event(const struct library *library, const void *manager, uint8_t number,
			 uint32_t event)
{
	struct program_table_chip *cell;
	struct programs *programs;
	uint64_t now;
	struct chip_queue *queue = queue_enter(library, manager, &programs, &cell, &now);

	if (!queue)
		return;
	queue->event[number & 1] = event;
	program_next_event(&programs->table->launches, &cell->queue, number, now);
	lock_release(&queue->lock);
}

void programs_complete(const struct library *library, const void *manager, uint8_t number,
		       uint32_t event)
{
	struct program_table_chip *cell;
	struct programs *programs;
	uint64_t now, since = 0;
	struct chip_queue *queue = queue_enter(library, manager, &programs, &cell, &now);

	if (!queue)
		return;
	if (queue->event[number & 1] == event)
		since = program_complete(&programs->table->launches, &cell->queue, number, now);
	if (since)
		program_series_add_time(&cell->pending, (int64_t)since, (int64_t)now);
	lock_release(&queue->lock);
}
