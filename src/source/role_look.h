/*
 * Examines a process that has the name of a monitor: whose executable is it, and what code does it
 * run? A job for each such process, since its files may be on a file system that does not answer.
 * It writes into its own memory only. Examining an unchanged process again costs one system call.
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
	bool by_script; /* the listed name is its script's; its executable may be any interpreter */
	char exe[MONITOR_NAME]; /* base name of the executable, read before */
	struct procfs_stat stat;

	/* The result, and of which process it is. */
	bool has_looked;
	uint64_t start_ticks, size;
	dev_t device;
	ino_t inode;
	bool exe_read, exe_protected;
	bool code_read, code_is_metal, code_unprotected;
};

/* The job; its argument is the role_look. */
void role_look_run(void *look);
