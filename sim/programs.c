#include "programs.h"

#include "basic/clock.h"
#include "basic/sibling_program.h"
#include "library/library.h"
#include "schedule.h"
#include "version.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How often records are received, and programs launched; more often for more records than these. */
#define TICK	     (200 * NS_PER_MS)
#define TICK_RECORDS 800

/* How far ahead of the chips programs are launched: a host that is late by less loses nothing. */
#define AHEAD (500 * NS_PER_MS)

/* The same for a host that waits for its programs. */
#define AHEAD_WAITING (10 * NS_PER_MS)

#define SETTLED (250 * NS_PER_MS)

struct scheduled_chip {
	uint64_t bit; /* in the mask of stopped chips */
	bool is_profiled;
	int64_t delay;	    /* ns by which its programs are later than scheduled */
	int64_t stopped_ns; /* since when it does nothing; INT64_MAX: it runs */
	uint64_t ended;	    /* programs, of which the host knows */
};

struct sim_programs {
	const struct worker_job *job;
	const struct sim_library *library;
	struct sim_mesh *mesh;
	struct schedule schedule;
	bool waits;    /* the host waits for all launched programs before it launches others */
	bool is_stuck; /* it launches no more, and waits for a program that does not end */
	int64_t base;
	uint64_t launched; /* in groups of the schedule */
	struct scheduled_chip chips[MAX_DEVICES];
	size_t count;
};

bool programs_are_run(const struct worker_job *job)
{
	return job->workload.busy >= 0 && job->device_count > 0;
}

bool programs_are_covered(const struct worker_device *device)
{
	return device->arch != WORMHOLE || !device->has_behind;
}

static bool has_profiler(const struct workload *w)
{
	return w->programs.release == RELEASE_77 && !w->programs.is_slow;
}

static bool has_events(const struct sim_programs *programs)
{
	return programs->waits && !programs->job->workload.programs.is_slow;
}

static int open_library(struct sim_programs *programs)
{
	static const char *const names[] = {
		[RELEASE_77] = "libtt_smi-sim-metal.so",
		[RELEASE_65] = "libtt_smi-sim-metal-65.so",
	};
	const char *name = names[programs->job->workload.programs.release];
	char path[PATH_MAX];
	void *handle;

	if (sibling_program_find(name, path, sizeof(path)) < 0) {
		fprintf(stderr, "tt_smi sim: %s is not beside tt_smi-sim\n", name);
		return -ENOENT;
	}
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	programs->library = handle ? dlsym(handle, SIM_LIBRARY_SYMBOL) : NULL;
	if (programs->library)
		return 0;
	fprintf(stderr, "tt_smi sim: %s\n", dlerror());
	return -ENOEXEC;
}

static int open_mesh(struct sim_programs *programs)
{
	static const double ticks_per_ns[] = { [WORMHOLE] = 1.0, [BLACKHOLE] = 1.35 };
	const struct worker_job *job = programs->job;
	struct sim_chip chips[MAX_DEVICES];

	for (size_t i = 0; i < job->device_count; i++) {
		chips[i].id = worker_chip(job, i);
		chips[i].is_profiled = programs->chips[i].is_profiled;
		chips[i].ticks_per_ns = ticks_per_ns[job->devices[i].arch];
	}
	programs->mesh = programs->library->open(chips, job->device_count);
	if (!programs->mesh)
		return -ENOMEM;
	if (!has_events(programs))
		return 0;
	/* TT-Metal waits for its queues when it has opened the devices. */
	programs->library->add_event(programs->mesh);
	for (size_t i = 0; i < job->device_count; i++)
		programs->library->complete(programs->mesh, i);
	return 0;
}

static void init_chips(struct sim_programs *programs)
{
	const struct worker_job *job = programs->job;

	programs->count = job->device_count;
	programs->waits = true;
	for (size_t i = 0; i < programs->count; i++) {
		struct scheduled_chip *chip = &programs->chips[i];

		chip->bit = UINT64_C(1) << job->devices[i].position;
		chip->is_profiled =
			has_profiler(&job->workload) && programs_are_covered(&job->devices[i]);
		chip->stopped_ns = INT64_MAX;
		/* Where nothing is measured, only a host that waits knows what has ended. */
		programs->waits = programs->waits && !chip->is_profiled;
	}
}

int programs_open(struct sim_programs **ret, const struct worker_job *job)
{
	struct sim_programs *programs = calloc(1, sizeof(*programs));
	int r;

	if (!programs)
		return -ENOMEM;
	programs->job = job;
	init_chips(programs);
	schedule_init(&programs->schedule, &job->workload, programs->waits);
	r = open_library(programs);
	if (r == 0)
		r = open_mesh(programs);
	if (r < 0) {
		free(programs);
		return r;
	}
	programs->base = clock_now(CLOCK_MONOTONIC);
	programs_stop_chips(programs, job->stopped);
	*ret = programs;
	return 0;
}

void programs_close(struct sim_programs *programs)
{
	if (!programs)
		return;
	programs->library->close(programs->mesh);
	free(programs);
}

void programs_stop_chips(struct sim_programs *programs, uint64_t stopped)
{
	int64_t now = clock_now(CLOCK_MONOTONIC);

	for (size_t i = 0; i < programs->count; i++) {
		struct scheduled_chip *chip = &programs->chips[i];
		bool is_stopped = chip->stopped_ns != INT64_MAX;

		if (is_stopped == ((stopped & chip->bit) != 0))
			continue;
		if (is_stopped)
			chip->delay += now - chip->stopped_ns;
		chip->stopped_ns = is_stopped ? INT64_MAX : now;
	}
}

bool programs_are_settled(const struct sim_programs *programs)
{
	return clock_now(CLOCK_MONOTONIC) - programs->base >= SETTLED;
}

/* For how long the chip has followed the schedule. */
static int64_t progress(const struct sim_programs *programs, const struct scheduled_chip *chip,
			int64_t now)
{
	return schedule_progress(&programs->schedule,
				 MIN(now, chip->stopped_ns) - programs->base - chip->delay);
}

/* That of the slowest chip, which programs on all chips wait for. */
static int64_t least_progress(const struct sim_programs *programs, int64_t now)
{
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < programs->count; i++)
		least = MIN(least, progress(programs, &programs->chips[i], now));
	return least;
}

/* Chips that have nothing to run wait for the next program. */
static void delay_idle_chips(struct sim_programs *programs, int64_t now)
{
	int64_t start = schedule_start(&programs->schedule, programs->launched);

	for (size_t i = 0; i < programs->count; i++) {
		struct scheduled_chip *chip = &programs->chips[i];
		int64_t late = progress(programs, chip, now) - start;

		if (late > 0 && chip->stopped_ns == INT64_MAX)
			chip->delay += late;
	}
}

static void launch(struct sim_programs *programs)
{
	const struct schedule *schedule = &programs->schedule;
	const struct sim_library *library = programs->library;
	const struct workload *w = &programs->job->workload;

	for (uint64_t i = 0; i < schedule->group; i++)
		(w->programs.is_slow ? library->launch_slow : library->launch)(
			programs->mesh, programs->launched * schedule->group + i + 1,
			w->programs.operation);
	programs->launched++;
}

/* Launches what starts until then, in time of the schedule. */
static void launch_due(struct sim_programs *programs, int64_t until, int64_t now)
{
	const struct schedule *schedule = &programs->schedule;

	if (programs->launched >= schedule->count ||
	    schedule_start(schedule, programs->launched) > until)
		return;
	delay_idle_chips(programs, now);
	do
		launch(programs);
	while (!programs->waits && programs->launched < schedule->count &&
	       schedule_start(schedule, programs->launched) <= until);
}

/* ---- a host that launches ahead ---- */

/* A chip sends the records of programs that have ended since. */
static void record(struct sim_programs *programs, size_t index, int64_t now)
{
	const struct schedule *schedule = &programs->schedule;
	struct scheduled_chip *chip = &programs->chips[index];
	int64_t until = progress(programs, chip, now), zero = programs->base + chip->delay;
	uint32_t lose = programs->job->workload.programs.lose;

	for (; chip->ended < programs->launched && schedule_end(schedule, chip->ended) <= until;
	     chip->ended++) {
		const struct sim_run run = {
			.id = chip->ended + 1,
			.start = zero + schedule_start(schedule, chip->ended),
			.end = zero + schedule_end(schedule, chip->ended),
		};

		if (!lose || run.id % lose)
			programs->library->record(programs->mesh, index, &run);
	}
}

/* Sooner or later the host needs a result. */
static void wait_for_hung(struct sim_programs *programs, int64_t progress)
{
	uint64_t hung = programs->schedule.hung;

	if (programs->is_stuck || programs->launched <= hung ||
	    progress < schedule_start(&programs->schedule, hung))
		return;
	programs->library->add_event(programs->mesh);
	programs->is_stuck = true;
}

static int64_t step_ahead(struct sim_programs *programs, int64_t now)
{
	int64_t progress;

	for (size_t i = 0; i < programs->count; i++)
		record(programs, i, now);
	programs->library->receive(programs->mesh);
	progress = least_progress(programs, now);
	launch_due(programs, progress + AHEAD, now);
	wait_for_hung(programs, progress);
	return now + MIN(TICK, (int64_t)(TICK_RECORDS * programs->schedule.period));
}

/* ---- a host that waits ---- */

/*
 * The host learns which chips have ended what was launched. Returns when the next one will, or will
 * be looked at again.
 */
static int64_t complete(struct sim_programs *programs, int64_t now)
{
	int64_t next = INT64_MAX;

	for (size_t i = 0; i < programs->count; i++) {
		struct scheduled_chip *chip = &programs->chips[i];
		int64_t end = schedule_end(&programs->schedule, chip->ended);
		int64_t at = programs->base + chip->delay + end;
		bool is_running = chip->stopped_ns == INT64_MAX && at > now;

		if (chip->ended == programs->launched)
			continue;
		if (progress(programs, chip, now) >= end) {
			if (has_events(programs))
				programs->library->complete(programs->mesh, i);
			chip->ended++;
		} else {
			next = MIN(next, is_running ? at : now + TICK);
		}
	}
	return next;
}

/* When the next programs are due on all chips. The host does not know which of them are stopped. */
static int64_t next_start(const struct sim_programs *programs)
{
	int64_t delay = 0;

	for (size_t i = 0; i < programs->count; i++)
		delay = MAX(delay, programs->chips[i].delay);
	return programs->base + delay + schedule_start(&programs->schedule, programs->launched);
}

static int64_t step_waiting(struct sim_programs *programs, int64_t now)
{
	int64_t next = complete(programs, now), start;

	if (next != INT64_MAX || programs->launched >= programs->schedule.count)
		return next;
	start = next_start(programs) - AHEAD_WAITING;
	if (now < start)
		return start;
	launch_due(programs, INT64_MAX, now);
	if (has_events(programs))
		programs->library->add_event(programs->mesh);
	return complete(programs, now);
}

int64_t programs_step(struct sim_programs *programs)
{
	int64_t now = clock_now(CLOCK_MONOTONIC), settled = programs->base + SETTLED, next;

	next = programs->waits ? step_waiting(programs, now) : step_ahead(programs, now);
	return now < settled ? MIN(next, settled) : next;
}
