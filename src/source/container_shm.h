/*
 * TT-Metal's counters in the /dev/shm of a container.
 *
 * A container usually has its own mount namespace, and unless it was started with --ipc=host its
 * own /dev/shm. A process that may inspect another one reaches that directory through
 * /proc/PID/root. Each mount namespace is visited once per sample, through any of its processes.
 * Its file systems are controlled by its owner and may block, so a visit is a job with a deadline,
 * and nothing stays open between visits: a descriptor would keep a container's file system mounted.
 */
#pragma once

#include "basic/worker_pool.h"
#include "basic/root.h"
#include "source/metal_file.h"
#include "source/source.h"

#include <stdbool.h>
#include <stdint.h>

struct container_shm {
	struct job job;
	const struct root *root;
	uint64_t mount_ns;    /* inode of the mount namespace */
	int32_t pid;	      /* a process in it */
	uint32_t uid;	      /* and its user */
	struct shm_stamp own; /* our /dev/shm: a container may share it */
	bool visited;	      /* in this sample */
	bool late;	      /* its job still runs and owns what follows */
	int error;
	bool shared; /* it is our /dev/shm: nothing was read */
	struct metal_counters_file *files;
	size_t count;
};

struct containers {
	struct container_shm *
		*list; /* by mount namespace; never moved, since their jobs use them */
	size_t count;
	uint64_t own_mount_ns; /* of this program; 0: not read yet */
};

/*
 * Visits the mount namespaces other than ours of the processes in the sample. -ENOMEM. A namespace
 * that cannot be read has its error set.
 */
MUST_CHECK int containers_visit(struct containers *containers, struct sample *sample);

/* The namespace of a process; NULL: ours, or unknown. */
const struct container_shm *containers_find(const struct containers *containers,
					    const struct process *process);

/* Frees all but those whose job still runs. */
void containers_done(struct containers *containers, struct worker_pool *workers);
