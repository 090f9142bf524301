/*
 * Examines a process that has the name of a monitor: the owner of its executable, and the code that
 * it runs. A job for each such process, since its files may be on a file system that does not
 * respond. It writes to its own memory only. Examining an unchanged process again costs one system
 * call.
 */
#pragma once

#include "basic/worker_pool.h"
#include "basic/root.h"
#include "model/role.h"
#include "source/procfs.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct role_inspection {
	struct job job;
	const struct root *root;
	int32_t pid;
	bool uid_is_root;
	/* the listed name is that of its script; its executable may be any interpreter */
	bool by_script;
	char exe[MONITOR_NAME]; /* base name of the executable, read before */
	struct procfs_stat stat;

	/* The result, and the identity of the process. */
	bool is_done;
	uint64_t start_ticks, size;
	dev_t device;
	ino_t inode;
	bool exe_read, exe_protected;
	bool code_read, code_is_metal, code_unprotected;
};

/* The job; its argument is the role_inspection. */
void role_inspection_run(void *inspection);
