/*
 * The store of earlier samples: for each device its readings of the last hour
 * (model/reading_ring.h, for charts) and its memory in exact bytes of the last ten minutes
 * (model/series.h, for figures and JSON); for each process with known memory the latter.
 *
 * Its size is bounded: 72 KB per device, 2 KB per process, and HISTORY_PROCESSES processes. It
 * depends on the snapshots only and reads no clock.
 */
#pragma once

#include "basic/macros.h"
#include "model/metric.h"
#include "model/reading_ring.h"
#include "model/series.h"
#include "model/snapshot.h"

#define HISTORY_SPAN_NS	  INT64_C(600000000000) /* time covered by series */
#define HISTORY_PROCESSES 1024 /* beyond this number, the process that exited first is dropped */

struct history;

MUST_CHECK int history_new(struct history **ret);
struct history *history_free(struct history *history);

/*
 * Adds a sample of all devices and processes. Charts extend it for hold_ns unless another one
 * follows earlier. -ENOMEM: some of it is missing.
 */
int history_add(struct history *history, const struct snapshot *snapshot, int64_t hold_ns);

/* The same without processes: for charts of devices only. */
int history_add_devices(struct history *history, const struct snapshot *snapshot, int64_t hold_ns);

/* NULL if it was never seen. */
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
