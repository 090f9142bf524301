/*
 * Processes that are reported to have a device open: by the driver, in a list per device
 * (source/driver_pids.h), and while programs are traced by the kernel, in its list of open
 * descriptors.
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
	bool kernel_lists; /* its list was read: it has every process */
	struct traced_holder *descriptors;
	size_t n_descriptors;
};

void reported_holders_init(struct reported_holders *reported, const struct root *root);

/* Reads the lists for the devices of the sample. A list that cannot be read is no error. */
MUST_CHECK int reported_holders_read(struct reported_holders *reported, struct sample *sample);

/* Adds what was read to the records. foreign_pids: the driver's are of other namespaces. */
MUST_CHECK int reported_holders_record(const struct reported_holders *reported, bool foreign_pids,
				       struct hold_records *records);

/* Frees all but what a job uses that hangs. False: that is the struct itself too. */
bool reported_holders_done(struct reported_holders *reported, struct worker_pool *workers);
