/*
 * Many idle processes, cheap ones: forked, never executed. They die with us.
 */
#pragma once

#include "basic/macros.h"

#include <stddef.h>
#include <sys/types.h>

struct crowd {
	pid_t *pids;
	size_t count;
};

/*
 * More of them, until there are `count`; each has `descriptors` more than the three
 * that everybody has. -EAGAIN: the system allows no more; those made stay.
 */
MUST_CHECK int crowd_grow(struct crowd *crowd, size_t count, unsigned descriptors);

/* One more, which has this file open. */
MUST_CHECK int crowd_add_holder(struct crowd *crowd, const char *file);

void crowd_end(struct crowd *crowd);
