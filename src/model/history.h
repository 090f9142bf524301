/*
 * The store of earlier samples: for each device its readings of the last hour
 * (model/reading_ring.h, for charts), and the first and the highest value of its memory. On
 * request, memory over time in exact bytes (model/series.h): of each device for ten minutes, and of
 * each process for up to an hour.
 *
 * Its size is bounded: 45 KB per device, 34 KB more with its memory, 2.5 KB per process, and
 * HISTORY_PROCESSES processes. It depends on the snapshots only and reads no clock.
 */
#pragma once

#include "basic/macros.h"
#include "model/metric.h"
#include "model/reading_ring.h"
#include "model/series.h"
#include "model/snapshot.h"

#define HISTORY_DEVICE_SPAN_NS	INT64_C(600000000000)
#define HISTORY_PROCESS_SPAN_NS INT64_C(3600000000000)
#define HISTORY_EXITED_NS	INT64_C(600000000000) /* then a process that exited is dropped */
#define HISTORY_PROCESSES	1024 /* beyond this number, the one that exited first is dropped */

enum history_kept {
	HISTORY_DEVICE_MEMORY = 1 << 0,
	HISTORY_PROCESS_MEMORY = 1 << 1,
};

struct history;

MUST_CHECK int history_new(struct history **ret, unsigned kept);
struct history *history_free(struct history *history);

/*
 * Adds a sample. Its values hold for hold_ns unless another one follows earlier. -ENOMEM: some of
 * it is missing.
 */
int history_add(struct history *history, const struct snapshot *snapshot, int64_t hold_ns);

/* NULL if it was never seen; of a process also if it is not kept. */
const struct series *history_of_device(const struct history *history, const struct device *dev);
const struct series *history_of_process(const struct history *history,
					const struct process *process, const struct device *dev);

/* For many values of one device; NULL if it was never seen. */
const struct reading_ring *history_readings(const struct history *history,
					    const struct device *dev);

/* The values of a reading between two times. False: a gap. */
bool history_range(const struct history *history, const struct device *dev, enum metric metric,
		   int64_t from_ns, int64_t to_ns, struct metric_range *ret);

/* Has this device ever had a value of it? NULL: has any device? */
bool history_knows(const struct history *history, const struct device *dev, enum metric metric);

/* The time of the first sample; 0: none. */
int64_t history_begin(const struct history *history);
