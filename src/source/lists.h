/*
 * Who is said to have a device open: by the driver, in a list per device, and by the
 * kernel, in the list of descriptors that the tracer pins. Whether it is true is asked
 * elsewhere (suspects.h).
 */
#pragma once

#include "basic/worker_pool.h"
#include "basic/macros.h"
#include "proto/traced.h"
#include "source/openers.h"
#include "source/bpf_text.h"
#include "source/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lists {
	struct openers **openers; /* the driver's; never moved, for their jobs */
	size_t n_openers;
	struct bpf_text pinned;
	bool is_traced;		      /* the kernel told: of every process there is */
	struct traced_holder *traced; /* without doubles and ourselves */
	size_t n_traced;
};

/* A process and a device that it is said to have open. */
struct listing {
	int32_t pid;
	uint32_t index;
};

void lists_init(struct lists *lists, const struct root *root);

/* Reads them for the devices of the sample. What cannot be read is no error. */
MUST_CHECK int lists_read(struct lists *lists, struct sample *sample);

/* All that was read, by pid. */
MUST_CHECK int lists_collect(const struct lists *lists, struct listing **ret, size_t *ret_count);

/* Frees all but what a job uses that hangs. False: that is the struct itself too. */
bool lists_done(struct lists *lists, struct worker_pool *workers);
