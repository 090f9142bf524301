/*
 * One device's list of who opened it, /proc/driver/tenstorrent/N/pids. The driver writes
 * a line per open file; the descriptor of the list is kept between samples.
 */
#pragma once

#include "basic/worker_pool.h"
#include "basic/root.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct openers {
	uint32_t index;
	const struct root *root;
	struct job job;
	bool late; /* when last asked its job still ran: what follows is the job's */
	int fd;	   /* kept, -1 */
	int error;
	int32_t *pids; /* ascending, without doubles and zeroes */
	size_t n_pids;
	uint32_t unseen; /* zeroes: opens by processes outside our namespace */
};

void openers_init(struct openers *list, const struct root *root, uint32_t index);

/* The job, with the list as argument. Sets error, or the rest. */
void openers_read(void *list);

static inline bool openers_are_read(const struct openers *list)
{
	return !list->late && list->error >= 0;
}

/* The device is gone: what its list said is over. Neither of these while its job runs. */
void openers_forget(struct openers *list);
void openers_done(struct openers *list);
