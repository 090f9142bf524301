/*
 * What /proc/PID tells of one process. A job per process, since reading a command line
 * waits for a lock of that process. The job has its own memory only, so that a late one
 * touches nothing of the snapshot.
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
	int64_t read_ns; /* when all that follows stat was; 0: it is to be read */
	int error;
	struct procfs_stat stat;
	struct procfs_status status;
	bool wants_status;
	int status_error;
	struct owner *owner; /* NULL: nobody in particular */
	int owner_error;
	struct buf command;
	bool wants_mount_ns;
	uint64_t mount_ns; /* 0: not to be had */
	bool wants_role;
	bool exe_read;
	char exe[MONITOR_NAME]; /* base name of its executable; empty if it is longer */
};

static inline bool proc_reader_wants(const struct proc_reader *reader, enum process_field field)
{
	return fieldset_has(&reader->want, field);
}

/* The job, with the reader as argument. */
void proc_reader_run(void *reader);

/* Not while its job runs. */
void proc_reader_free(struct proc_reader *reader);
