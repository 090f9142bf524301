/* Files of a process as they are below /proc, for one that does not exist, or as another user. */
#pragma once

#include "tree.h"
#include "worker.h"

#include <stdint.h>
#include <sys/types.h>

#define UPTIME_S 100000ll /* of a machine at its start */
#define TICKS	 100ll	  /* per second, in proc/PID/stat */

/* The machine's own: stat, uptime, etc/passwd. */
void procfs_add_machine(struct tree *root, int64_t now, int64_t uptime);

/* Those of one that runs on this machine: its own, but for the user if it is given one. */
void procfs_add_living(struct tree *root, pid_t pid, const struct workload *w);

/* comm, cmdline, stat, status, cgroup, maps and fd/ of one that has been running since. */
void procfs_add_process(struct tree *root, pid_t pid, const struct worker_job *job,
			uint32_t after_s);

/* Field 22 of its proc/PID/stat. */
uint64_t procfs_start_ticks(const struct workload *w);
