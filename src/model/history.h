/*
 * The one store of what was sampled before: for each device its readings of the last hour
 * (model/reading_ring.h, for charts) and its memory in exact bytes of the last ten minutes
 * (model/series.h, for figures and JSON); for each process with known memory the latter.
 *
 * Its size is bounded: 53 KB per device, 2 KB per process, and HISTORY_PROCESSES processes.
 * It is a function of snapshots and reads no clock.
 */
#pragma once

#include "basic/macros.h"
#include "model/metric.h"
#include "model/series.h"
#include "model/snapshot.h"

#define HISTORY_SPAN_NS	  INT64_C(600000000000) /* of series */
#define HISTORY_PROCESSES 1024 /* beyond these, the process that exited first is dropped */

struct history;

MUST_CHECK int history_new(struct history **ret);
struct history *history_free(struct history *history);

/*
 * Adds a sample of all devices and processes. In charts it stands for hold_ns if no other one
 * follows. -ENOMEM: some of them are missing.
 */
int history_add(struct history *history, const struct snapshot *snapshot, int64_t hold_ns);

/* NULL: never seen. */
const struct series *history_of_device(const struct history *history, const struct device *dev);
const struct series *history_of_process(const struct history *history,
					const struct process *process, const struct device *dev);

/* The maximum of a reading between two times, in units of the chart. False: a gap. */
bool history_most(const struct history *history, const struct device *dev, enum metric metric,
		  int64_t from_ns, int64_t to_ns, double *ret);
