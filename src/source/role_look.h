/*
 * A look at a process whose name is that of a monitor: whose executable is it, and what
 * code does it run? A job for each such process, since its files may lie where nobody
 * answers. It writes into its own memory only. A second look at a process in which nothing
 * changed costs one system call.
 */
#pragma once

#include "basic/worker_pool.h"
#include "basic/root.h"
#include "model/role.h"
#include "source/procfs.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct role_look {
	struct job job;
	const struct root *root;
	int32_t pid;
	bool uid_is_root;
	bool by_script;		/* the name is its script's, so the executable is any interpreter */
	char exe[MONITOR_NAME]; /* base name of the executable, as it was read before */
	struct procfs_stat stat;

	/* What was found, and of which process. */
	bool has_looked;
	uint64_t start_ticks, size;
	dev_t device;
	ino_t inode;
	bool exe_read, exe_protected;
	bool code_read, code_is_metal, code_unprotected;
};

/* The job, with the look as argument. */
void role_look_run(void *look);
