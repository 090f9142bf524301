/*
 * The driver's list of the processes that opened one device, /proc/driver/tenstorrent/N/pids,
 * with a line for each open file. The descriptor of the list stays open between samples.
 */
#pragma once

#include "basic/worker_pool.h"
#include "basic/root.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct driver_pids {
	uint32_t index;
	const struct root *root;
	struct job job;
	bool early; /* its job was expected (sample_expect()) */
	bool late;  /* its job did not end in time, and owns what follows */
	int fd;	    /* kept, -1 */
	int error;
	int32_t *pids; /* ascending; each once, without zeros */
	size_t n_pids;
	uint32_t unseen; /* zeros: opened by processes outside our pid namespace */
};

void driver_pids_init(struct driver_pids *list, const struct root *root, uint32_t index);

/* The job; its argument is the list. Sets error, or what follows it. */
void driver_pids_read(void *list);

static inline bool driver_pids_are_read(const struct driver_pids *list)
{
	return !list->late && list->error >= 0;
}

/* Closes the list of a removed device. Neither of these may be called while the job runs. */
void driver_pids_forget(struct driver_pids *list);
void driver_pids_done(struct driver_pids *list);
