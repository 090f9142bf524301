/*
 * Reads /proc/PID of one process. A job per process, since reading a command line waits for a lock
 * of that process. The job uses its own memory only, so that a late one does not touch the
 * snapshot.
 */
#pragma once

#include "basic/buf.h"
#include "basic/worker_pool.h"
#include "basic/root.h"
#include "model/process.h"
#include "source/procfs.h"

#include <stdbool.h>
#include <stdint.h>

struct proc_reader {
	struct job job;
	const struct root *root;
	struct fieldset want;
	int32_t pid;
	bool low_rate;
	int64_t read_ns; /* when everything but stat was read; 0: to be read */
	int error;
	struct procfs_stat stat;
	struct procfs_status status;
	bool wants_status;
	int status_error;
	struct owner *owner; /* NULL: none */
	int owner_error;
	struct buf command;
	bool wants_mount_ns;
	uint64_t mount_ns; /* 0: unknown */
	bool wants_role;
	bool exe_read;
	char exe[MONITOR_NAME]; /* base name of its executable; empty if it is longer */
};

static inline bool proc_reader_wants(const struct proc_reader *reader, enum process_field field)
{
	return fieldset_has(&reader->want, field);
}

/* The job; its argument is the reader. */
void proc_reader_run(void *reader);

/* Must not be called while its job runs. */
void proc_reader_free(struct proc_reader *reader);
