#include "model/history.h"

#include "basic/array.h"
#include "basic/clock.h"

#include <errno.h>
#include <string.h>

/*
 * A device has a point for each second. The steps of a process begin with those of a chart of a
 * minute, and double up to 96 s.
 */
enum { DEVICE_POINTS = 600, PROCESS_POINTS = 40 };

static const int64_t device_step_ns = NS_PER_S, process_step_ns = 3 * NS_PER_S / 2;

/* The owner of an entry. The start time distinguishes processes with a reused pid. */
struct series_key {
	int32_t pid; /* 0: the device itself */
	uint64_t start_ticks;
	uint32_t device;
	bool remote;
};

struct history_entry {
	struct series_key key;
	int64_t seen_ns;
	struct series *series;
	struct reading_ring *readings; /* of devices only; NULL for a process */
};

struct history {
	struct history_entry *entries; /* sorted by key */
	size_t count, room;
	size_t n_processes;
	unsigned kept;	      /* enum history_kept */
	int64_t begin_ns;     /* time of the first sample */
	bool known[METRIC_N]; /* by any device, at any time */
};

int history_new(struct history **ret, unsigned kept)
{
	*ret = calloc(1, sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	(*ret)->kept = kept;
	return 0;
}

static void entry_done(struct history_entry *entry)
{
	series_free(entry->series);
	reading_ring_free(entry->readings);
}

struct history *history_free(struct history *history)
{
	if (!history)
		return NULL;
	for (size_t i = 0; i < history->count; i++)
		entry_done(&history->entries[i]);
	free(history->entries);
	free(history);
	return NULL;
}

static struct series_key device_key(const struct device *dev)
{
	return (struct series_key){ .device = dev->index, .remote = dev->remote };
}

static struct series_key process_key(const struct process *process, const struct device *dev)
{
	struct series_key key = device_key(dev);

	key.pid = process->pid;
	key.start_ticks = process->start_ticks;
	return key;
}

static int compare_keys(const struct series_key *a, const struct series_key *b)
{
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->remote != b->remote)
		return a->remote < b->remote ? -1 : 1;
	return (a->start_ticks > b->start_ticks) - (a->start_ticks < b->start_ticks);
}

/* The index of the key, or where to insert it. */
static size_t find(const struct history *history, const struct series_key *key)
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

static struct history_entry *find_entry(const struct history *history, const struct series_key *key)
{
	size_t at = find(history, key);

	if (at == history->count || compare_keys(&history->entries[at].key, key) != 0)
		return NULL;
	return &history->entries[at];
}

const struct series *history_of_device(const struct history *history, const struct device *dev)
{
	struct series_key key = device_key(dev);
	const struct history_entry *entry = find_entry(history, &key);

	return entry ? entry->series : NULL;
}

const struct series *history_of_process(const struct history *history,
					const struct process *process, const struct device *dev)
{
	struct series_key key = process_key(process, dev);
	const struct history_entry *entry = find_entry(history, &key);

	return entry ? entry->series : NULL;
}

const struct reading_ring *history_readings(const struct history *history, const struct device *dev)
{
	struct series_key key = device_key(dev);
	const struct history_entry *entry = find_entry(history, &key);

	return entry ? entry->readings : NULL;
}

bool history_range(const struct history *history, const struct device *dev, enum metric metric,
		   int64_t from_ns, int64_t to_ns, struct metric_range *ret)
{
	const struct reading_ring *readings = history_readings(history, dev);

	return readings && reading_ring_range(readings, metric, from_ns, to_ns, ret);
}

bool history_knows(const struct history *history, const struct device *dev, enum metric metric)
{
	const struct reading_ring *readings;

	if (!dev)
		return history->known[metric];
	readings = history_readings(history, dev);
	return readings && reading_ring_knows(readings, metric);
}

int64_t history_begin(const struct history *history)
{
	return history->begin_ns;
}

static void drop(struct history *history, size_t at)
{
	history->n_processes -= history->entries[at].key.pid != 0;
	entry_done(&history->entries[at]);
	history->count--;
	memmove(&history->entries[at], &history->entries[at + 1],
		(history->count - at) * sizeof(history->entries[0]));
}

static struct series *new_series(const struct series_key *key, unsigned kept)
{
	if (key->pid)
		return series_new(PROCESS_POINTS, process_step_ns, HISTORY_PROCESS_SPAN_NS);
	return series_new(kept & HISTORY_DEVICE_MEMORY ? DEVICE_POINTS : 0, device_step_ns,
			  HISTORY_DEVICE_SPAN_NS);
}

static int entry_init(struct history_entry *entry, const struct series_key *key, unsigned kept)
{
	*entry = (struct history_entry){
		.key = *key,
		.series = new_series(key, kept),
		.readings = key->pid ? NULL : reading_ring_new(),
	};
	if (entry->series && (key->pid || entry->readings))
		return 0;
	entry_done(entry);
	return -ENOMEM;
}

static int grow(struct history *history)
{
	struct history_entry *entries;

	entries = array_grow(history->entries, history->count, &history->room, sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	history->entries = entries;
	return 0;
}

static int insert(struct history *history, size_t at, const struct series_key *key)
{
	struct history_entry entry;
	int r = grow(history);

	if (r == 0)
		r = entry_init(&entry, key, history->kept);
	if (r < 0)
		return r;
	memmove(&history->entries[at + 1], &history->entries[at],
		(history->count - at) * sizeof(history->entries[0]));
	history->entries[at] = entry;
	history->count++;
	history->n_processes += key->pid != 0;
	return 0;
}

/* Drops the process that exited first if the limit is reached. False if all of them still run. */
static bool make_room(struct history *history, int64_t now_ns)
{
	size_t oldest = SIZE_MAX;

	if (history->n_processes < HISTORY_PROCESSES)
		return true;
	for (size_t i = 0; i < history->count; i++) {
		const struct history_entry *entry = &history->entries[i];

		if (entry->key.pid && entry->seen_ns < now_ns &&
		    (oldest == SIZE_MAX || entry->seen_ns < history->entries[oldest].seen_ns))
			oldest = i;
	}
	if (oldest == SIZE_MAX)
		return false;
	drop(history, oldest);
	return true;
}

static int add(struct history *history, const struct series_key *key, const struct point *point,
	       int64_t hold_ns)
{
	size_t at = find(history, key);
	int r;

	if (at == history->count || compare_keys(&history->entries[at].key, key) != 0) {
		/* A process whose memory is unknown has no history. */
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
	series_add(history->entries[at].series, point, hold_ns);
	return 0;
}

static int add_device(struct history *history, const struct device *dev, int64_t now_ns,
		      int64_t hold_ns)
{
	const struct series_key key = device_key(dev);
	const struct point point = {
		.time_ns = now_ns,
		.known = device_knows(dev, DEV_DRAM_USED) && device_knows(dev, DEV_L1_USED),
		.last = { dev->memory_used[POOL_DRAM], dev->memory_used[POOL_L1] },
	};
	int r = add(history, &key, &point, hold_ns);

	for (size_t i = 0; i < METRIC_N; i++)
		history->known[i] |= device_knows(dev, metric_infos[i].field);
	if (r == 0)
		reading_ring_add(find_entry(history, &key)->readings, dev, now_ns, hold_ns);
	return r;
}

static int add_usage(struct history *history, const struct process *process,
		     const struct usage *usage, const struct device *dev, int64_t now_ns,
		     int64_t hold_ns)
{
	const struct series_key key = process_key(process, dev);
	const struct point point = {
		.time_ns = now_ns,
		.known = usage->why[USE_DRAM] == KNOWN && usage->why[USE_L1] == KNOWN,
		.last = { usage->bytes[POOL_DRAM], usage->bytes[POOL_L1] },
		.has_frees = usage->why[USE_FREES] == KNOWN,
		.frees = usage->frees,
	};

	return process->pid > 0 ? add(history, &key, &point, hold_ns) : 0;
}

/* Drops entries that were not seen within the time that is kept. */
static void forget(struct history *history, int64_t now_ns)
{
	for (size_t i = history->count; i > 0; i--) {
		const struct history_entry *entry = &history->entries[i - 1];

		if (entry->seen_ns <
		    now_ns - (entry->key.pid ? HISTORY_EXITED_NS : READING_SPAN_NS))
			drop(history, i - 1);
	}
}

static int add_process(struct history *history, const struct snapshot *snapshot,
		       const struct process *process, int64_t hold_ns)
{
	int r = 0;

	for (size_t i = 0; i < process->n_usages && r >= 0; i++)
		r = add_usage(history, process, &process->usages[i],
			      &snapshot->devices[process->usages[i].device], snapshot->taken_ns,
			      hold_ns);
	return r;
}

int history_add(struct history *history, const struct snapshot *snapshot, int64_t hold_ns)
{
	int64_t now = snapshot->taken_ns;
	int r = 0;

	if (!history->begin_ns)
		history->begin_ns = now;
	forget(history, now);
	for (size_t i = 0; i < snapshot->n_devices && r >= 0; i++)
		r = add_device(history, &snapshot->devices[i], now, hold_ns);
	if (!(history->kept & HISTORY_PROCESS_MEMORY))
		return r;
	for (size_t i = 0; i < snapshot->n_processes && r >= 0; i++)
		r = add_process(history, snapshot, &snapshot->processes[i], hold_ns);
	return r;
}
