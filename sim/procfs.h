/* /proc files of a process that does not exist, or that should appear with another user. */
#pragma once

#include "tree.h"
#include "worker.h"

#include <stdint.h>
#include <sys/types.h>

#define UPTIME_S 100000ll /* uptime of the machine at its start */
#define TICKS	 100ll	  /* per second, in proc/PID/stat */

/* Files of the machine: stat, uptime, etc/passwd. */
void procfs_add_machine(struct tree *root, int64_t now, int64_t uptime);

/* Files of a process of the host: links to its own, except for the user if it is given one. */
void procfs_add_running(struct tree *root, pid_t pid, const struct workload *w);

/* comm, cmdline, stat, status, cgroup, maps and fd/ of a simulated process. */
void procfs_add_process(struct tree *root, pid_t pid, const struct worker_job *job,
			uint32_t after_s);

/* Field 22 of its proc/PID/stat. */
uint64_t procfs_start_ticks(const struct workload *w);
