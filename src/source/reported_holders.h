/*
 * Processes that are reported to have a device open: by the driver, in a list per device
 * (source/driver_pids.h), and, while tracing is on, by a BPF iterator over open descriptors.
 */
#pragma once

#include "basic/macros.h"
#include "proto/traced.h"
#include "source/bpf_text.h"
#include "source/driver_pids.h"
#include "source/hold_record.h"
#include "source/source.h"

#include <stdbool.h>
#include <stddef.h>

struct reported_holders {
	struct driver_pids **driver; /* one per device; never moved, since their jobs use them */
	size_t n_driver;
	struct bpf_text kernel_text;
	bool kernel_lists; /* its list was read and is complete */
	struct traced_holder *descriptors;
	size_t n_descriptors;
};

void reported_holders_init(struct reported_holders *reported, const struct root *root);

/* To be called before reported_holders_read(): announces the jobs with sample_expect(). */
MUST_CHECK int reported_holders_expect(struct reported_holders *reported, struct sample *sample);

/* Reads the lists for the devices of the sample. A list that cannot be read is no error. */
MUST_CHECK int reported_holders_read(struct reported_holders *reported, struct sample *sample);

/*
 * Adds the lists to the records. foreign_pids: the driver's pids are those of other namespaces.
 */
MUST_CHECK int reported_holders_record(const struct reported_holders *reported, bool foreign_pids,
				       struct hold_records *records);

/* Frees everything that no hanging job uses. False: a job still uses the struct itself. */
bool reported_holders_done(struct reported_holders *reported, struct worker_pool *workers);
