/*
 * Reads /proc/PID of one process. There is a job per process, since reading a command line waits
 * for a lock of that process. The job writes only to its reader, never to the snapshot: it may
 * still run after its deadline.
 */
#pragma once

#include "basic/worker_pool.h"
#include "basic/root.h"
#include "model/process.h"
#include "source/procfs.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct proc_reader {
	struct job job;
	bool early; /* its job was expected (sample_expect()), or it needs none */
	const struct root *root;
	struct fieldset want;
	int32_t pid;
	int64_t details_ns; /* how long everything but stat stays valid; 0: always read again */
	int64_t read_ns;    /* when everything but stat was read; 0: never */
	bool may_keep;	    /* stat_fd may stay open */
	int stat_fd;	    /* open between samples; -1: closed */
	int64_t clock_ns;   /* its CPU clock in this sample, if stat_fd is open; -1: unknown */
	int error;
	int64_t ran_ns; /* the time of that clock when stat was read; -1: unknown */
	int64_t due_ns; /* when to read stat again though the process has not run */
	struct procfs_stat stat;
	struct procfs_status status;
	bool has_status; /* status was read, for a field that is wanted or for its user */
	int status_error;
	struct owner *owner; /* NULL: none */
	int owner_error;
	char name[sizeof(((struct process *)NULL)->name)]; /* of its program */
	char *command; /* shared text; NULL: none, as that of a zombie, or not wanted */
	bool wants_mount_ns;
	uint64_t mount_ns; /* 0: unknown */
	bool wants_role;
	bool wants_user;    /* whatever the fields; else see proc_reader_read_user() */
	bool wants_command; /* whatever the program; else only that of an interpreter */
	bool exe_read;
	char exe[MONITOR_NAME]; /* base name of its executable; empty if it is longer */
};

static inline bool proc_reader_wants(const struct proc_reader *reader, enum process_field field)
{
	return fieldset_has(&reader->want, field);
}

/* NULL: no memory. */
struct proc_reader *proc_reader_new(int32_t pid);

/* Is what was read still valid, so that the job would read nothing? */
bool proc_reader_is_current(const struct proc_reader *reader);

/* The job; its argument is the reader. */
void proc_reader_run(void *reader);

/*
 * The same for a process that was read without its user and its pids, which are needed after all.
 */
void proc_reader_read_user(void *reader);

/* Must not be called while its job runs. Takes NULL, returns NULL. */
struct proc_reader *proc_reader_free(struct proc_reader *reader);
