/* One process of this machine, from /proc. */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct task {
	uint64_t start; /* ticks since boot; with the pid the identity */
	bool ending;	/* a zombie, or about to become one */
	bool forked;	/* and never executed: it has objects of its parent's */
};

/* -ESRCH: there is none. */
MUST_CHECK int task_read(pid_t pid, struct task *ret);

/* Pages of its address space: whatever it maps changes this. */
MUST_CHECK int task_pages(pid_t pid, uint64_t *ret);

/* Who started it, whatever it may do by now; -1: not known. */
uid_t task_owner(pid_t pid);

/* Is it still this one? */
bool task_lives(pid_t pid, uint64_t start);
