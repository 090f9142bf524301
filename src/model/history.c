#include "model/history.h"

#include "basic/clock.h"
#include "basic/sparse.h"

#include <errno.h>
#include <string.h>

enum {
	DEVICE_STEPS = 600,
	PROCESS_STEPS = 40,
};

/* Whose series it is. A pid alone may be given out again. */
struct key {
	int32_t pid; /* 0: of the device itself */
	uint64_t start_ticks;
	uint32_t device;
	bool remote;
};

struct entry {
	struct key key;
	int64_t seen_ns;
	struct series *series;
};

struct history {
	struct entry *entries; /* by key */
	size_t count, room;
	size_t n_processes;
};

/* ---- one series ---- */

static size_t series_bytes(size_t size)
{
	return sizeof(struct series) + size * sizeof(struct point);
}

struct series *series_new(size_t size, int64_t step_ns)
{
	struct series *series = sparse_new(series_bytes(size));

	if (series) {
		series->size = size;
		series->step_ns = step_ns;
	}
	return series;
}

struct series *series_free(struct series *series)
{
	if (series)
		sparse_free(series, series_bytes(series->size));
	return NULL;
}

void series_add(struct series *series, const struct point *point)
{
	int64_t n = point->time_ns / series->step_ns;
	struct point *at = &series->points[(size_t)n % series->size];
	struct point next = *point;

	for (enum quantity q = 0; q < QUANTITY_N; q++) {
		next.most[q] = point->last[q];
		if (series_at(series, n) && at->known)
			next.most[q] = MAX(at->most[q], next.most[q]);
		if (point->known)
			series->peak[q] = MAX(series->peak[q], point->last[q]);
	}
	*at = next;
	if (!point->known)
		return;
	if (series->samples++ == 0) {
		series->begun_ns = point->time_ns;
		series->first = *point;
	}
	series->ended_ns = point->time_ns;
}

const struct point *series_at(const struct series *series, int64_t n)
{
	const struct point *point = &series->points[(size_t)n % series->size];

	return point->time_ns && point->time_ns / series->step_ns == n ? point : NULL;
}

/* The last sample before a time, not longer ago than hold_ns. */
static const struct point *last_before(const struct series *series, int64_t when_ns,
				       int64_t hold_ns)
{
	int64_t first = MAX(when_ns - hold_ns, 0) / series->step_ns;

	first = MAX(first, when_ns / series->step_ns - (int64_t)series->size + 1);
	for (int64_t n = when_ns / series->step_ns; n >= first; n--) {
		const struct point *point = series_at(series, n);

		if (point && point->time_ns < when_ns)
			return point->time_ns >= when_ns - hold_ns ? point : NULL;
	}
	return NULL;
}

bool series_most(const struct series *series, enum quantity quantity, int64_t from_ns,
		 int64_t to_ns, int64_t hold_ns, uint64_t *ret)
{
	const struct point *before;
	uint64_t most = 0;
	bool known = false, sampled = false;

	for (int64_t n = from_ns / series->step_ns; n <= to_ns / series->step_ns; n++) {
		const struct point *point = series_at(series, n);

		if (!point || point->time_ns < from_ns || point->time_ns >= to_ns)
			continue;
		sampled = true;
		known |= point->known;
		if (point->known)
			most = MAX(most, point->most[quantity]);
	}
	before = sampled ? NULL : last_before(series, from_ns, hold_ns);
	if (before && before->known) {
		most = before->last[quantity];
		known = true;
	}
	if (known)
		*ret = most;
	return known;
}

/* ---- all of them ---- */

int history_new(struct history **ret)
{
	*ret = calloc(1, sizeof(**ret));
	return *ret ? 0 : -ENOMEM;
}

struct history *history_free(struct history *history)
{
	if (!history)
		return NULL;
	for (size_t i = 0; i < history->count; i++)
		series_free(history->entries[i].series);
	free(history->entries);
	free(history);
	return NULL;
}

static struct key device_key(const struct device *dev)
{
	return (struct key){ .device = dev->index, .remote = dev->remote };
}

static struct key process_key(const struct process *process, const struct device *dev)
{
	struct key key = device_key(dev);

	key.pid = process->pid;
	key.start_ticks = process->start_ticks;
	return key;
}

static int compare_keys(const struct key *a, const struct key *b)
{
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->remote != b->remote)
		return a->remote < b->remote ? -1 : 1;
	return (a->start_ticks > b->start_ticks) - (a->start_ticks < b->start_ticks);
}

/* Where the key is, or belongs. */
static size_t find(const struct history *history, const struct key *key)
{
	size_t low = 0, high = history->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_keys(&history->entries[middle].key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static const struct series *find_series(const struct history *history, const struct key *key)
{
	size_t at = find(history, key);

	if (at == history->count || compare_keys(&history->entries[at].key, key) != 0)
		return NULL;
	return history->entries[at].series;
}

const struct series *history_of_device(const struct history *history, const struct device *dev)
{
	struct key key = device_key(dev);

	return find_series(history, &key);
}

const struct series *history_of_process(const struct history *history,
					const struct process *process, const struct device *dev)
{
	struct key key = process_key(process, dev);

	return find_series(history, &key);
}

static void drop(struct history *history, size_t at)
{
	history->n_processes -= history->entries[at].key.pid != 0;
	series_free(history->entries[at].series);
	history->count--;
	memmove(&history->entries[at], &history->entries[at + 1],
		(history->count - at) * sizeof(history->entries[0]));
}

static int insert(struct history *history, size_t at, const struct key *key)
{
	size_t steps = key->pid ? PROCESS_STEPS : DEVICE_STEPS;
	struct series *series = series_new(steps, HISTORY_SPAN_NS / (int64_t)steps);
	struct entry *grown;

	if (!series)
		return -ENOMEM;
	if (history->count == history->room) {
		size_t room = history->room ? history->room * 2 : 16;

		grown = reallocarray(history->entries, room, sizeof(*grown));
		if (!grown) {
			series_free(series);
			return -ENOMEM;
		}
		history->entries = grown;
		history->room = room;
	}
	memmove(&history->entries[at + 1], &history->entries[at],
		(history->count - at) * sizeof(history->entries[0]));
	history->entries[at] = (struct entry){ .key = *key, .series = series };
	history->count++;
	history->n_processes += key->pid != 0;
	return 0;
}

/* Makes room for one more process, if it is not all taken by those that live. */
static bool make_room(struct history *history, int64_t now_ns)
{
	size_t oldest = SIZE_MAX;

	if (history->n_processes < HISTORY_PROCESSES)
		return true;
	for (size_t i = 0; i < history->count; i++) {
		const struct entry *entry = &history->entries[i];

		if (entry->key.pid && entry->seen_ns < now_ns &&
		    (oldest == SIZE_MAX || entry->seen_ns < history->entries[oldest].seen_ns))
			oldest = i;
	}
	if (oldest == SIZE_MAX)
		return false;
	drop(history, oldest);
	return true;
}

static int add(struct history *history, const struct key *key, const struct point *point)
{
	size_t at = find(history, key);
	int r;

	if (at == history->count || compare_keys(&history->entries[at].key, key) != 0) {
		/* A process that nobody tracks has no history to remember. */
		if (key->pid && !point->known)
			return 0;
		if (key->pid && !make_room(history, point->time_ns))
			return 0;
		at = find(history, key);
		r = insert(history, at, key);
		if (r < 0)
			return r;
	}
	history->entries[at].seen_ns = point->time_ns;
	series_add(history->entries[at].series, point);
	return 0;
}

static int add_device(struct history *history, const struct device *dev, int64_t now_ns)
{
	const struct key key = device_key(dev);
	const struct point point = {
		.time_ns = now_ns,
		.known = device_knows(dev, DEV_DRAM_USED) && device_knows(dev, DEV_L1_USED),
		.last = { dev->memory_used[POOL_DRAM], dev->memory_used[POOL_L1] },
	};

	return add(history, &key, &point);
}

static int add_usage(struct history *history, const struct process *process,
		     const struct usage *usage, const struct device *dev, int64_t now_ns)
{
	const struct key key = process_key(process, dev);
	const struct point point = {
		.time_ns = now_ns,
		.known = usage->why[USE_DRAM] == KNOWN && usage->why[USE_L1] == KNOWN,
		.last = { usage->bytes[POOL_DRAM], usage->bytes[POOL_L1] },
		.has_frees = usage->why[USE_FREES] == KNOWN,
		.frees = usage->frees,
	};

	return process->pid > 0 ? add(history, &key, &point) : 0;
}

/* Who is gone for longer than the span has nothing left to show. */
static void forget(struct history *history, int64_t now_ns)
{
	for (size_t i = history->count; i > 0; i--)
		if (history->entries[i - 1].seen_ns < now_ns - HISTORY_SPAN_NS)
			drop(history, i - 1);
}

int history_add(struct history *history, const struct snapshot *snapshot)
{
	int64_t now = snapshot->taken_ns;
	int r = 0;

	forget(history, now);
	for (size_t i = 0; i < snapshot->n_devices && r >= 0; i++)
		r = add_device(history, &snapshot->devices[i], now);
	for (size_t i = 0; i < snapshot->n_processes && r >= 0; i++) {
		const struct process *process = &snapshot->processes[i];

		for (size_t k = 0; k < process->n_usages && r >= 0; k++)
			r = add_usage(history, process, &process->usages[k],
				      &snapshot->devices[process->usages[k].device], now);
	}
	return r;
}
