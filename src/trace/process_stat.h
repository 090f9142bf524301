/* Facts about one process, read from /proc/PID. */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct process_stat {
	uint64_t start;	 /* ticks since boot; pid and start identify a process */
	bool is_exiting; /* a zombie, or about to become one */
	/* has not called execve() since fork(): its objects are its parent's */
	bool is_forked;
};

/* -ESRCH: there is no such process. */
MUST_CHECK int process_stat_read(pid_t pid, struct process_stat *ret);

/* Pages of its address space. Every mmap() and munmap() changes this number. */
MUST_CHECK int process_stat_pages(pid_t pid, uint64_t *ret);

/* Its real user, which setuid programs keep; -1: unknown. */
uid_t process_stat_owner(pid_t pid);

/* Is the process with this pid and start still running? */
bool process_is_alive(pid_t pid, uint64_t start);
