/*
 * Parsers of procfs texts, without I/O. Other programs can influence these texts: a process chooses
 * its name, a container its cgroup.
 */
#pragma once

#include "basic/macros.h"
#include "model/process.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Appended by the kernel to the path of a deleted file. */
#define PROCFS_DELETED " (deleted)"

/* /proc/PID/stat */
struct procfs_stat {
	char comm[64];
	char state;
	int32_t parent;	    /* 0: not visible */
	uint64_t cpu_ticks; /* user and system */
	uint64_t start_ticks;
	uint64_t rss_pages;
	uint64_t size;	      /* of its address space, in bytes */
	uint64_t stack_start; /* address; 0: we may not inspect the process */
};

MUST_CHECK int procfs_parse_stat(const char *text, struct procfs_stat *ret);

/* /proc/PID/status: effective uid, pids in every namespace from ours inward. */
struct procfs_status {
	uint32_t uid;
	bool is_root; /* real, effective, saved and file system uid are all 0 */
	int32_t ns_pids[8];
	unsigned ns_depth; /* 0: the kernel does not provide it */
};

MUST_CHECK int procfs_parse_status(const char *text, struct procfs_status *ret);

/* Of length bytes of /proc/PID/cmdline: the base name of the first argument, cut to the size. */
void procfs_program_name(const char *data, size_t length, char *name, size_t size);

/* The same bytes with arguments joined by blanks, cut to the size. */
void procfs_join_arguments(const char *data, size_t length, char *command, size_t size);

/* A variable in /proc/PID/environ, whose length bytes end in a NUL. NULL: not set. */
const char *procfs_find_variable(const char *data, size_t length, const char *name);

/*
 * Is the first argument a title that the program set ("nginx: worker process", "sshd: root@pts/0"),
 * so that its base name is meaningless? comm is the kernel's name.
 */
bool procfs_is_title(const char *first, const char *name, const char *comm);

/* /proc/PID/cgroup, versions 1 and 2: the most specific owner that it names. */
void procfs_parse_cgroup(const char *text, struct owner *ret);

/*
 * May the environment say that the process belongs to a Slurm job, or what the job is called? Not
 * that of a process in a container or in a login session: there the variables may be those of the
 * shell that submitted a job, or of no job at all.
 */
bool procfs_may_be_job(const struct owner *owner);

/*
 * /proc/PID/environ, whose length bytes end in a NUL: id, name and user of the Slurm job. If the
 * cgroup named a job already, an environment with another id is ignored.
 */
void procfs_parse_job(const char *data, size_t length, struct owner *owner);

/*
 * /proc/driver/tenstorrent/N/pids: calls each(pid) per line, with 0 for a process outside our pid
 * namespace. -EBADMSG if a line is not a number; each() was called for those before it.
 */
MUST_CHECK int procfs_parse_pids(const char *text, void (*each)(int32_t pid, void *arg), void *arg);

/* "246 tenstorrent" in /proc/devices -> 246. False: not there. */
bool procfs_parse_devices(const char *text, uint32_t *ret_major);

/* "btime 1763…" in /proc/stat. False: not there. */
bool procfs_parse_btime(const char *text, int64_t *ret_seconds);

/*
 * Does a line of /proc/PID/maps map a device node, or a link of /proc/PID/fd/N name one? prefix is
 * that of the tree, "" on a live machine. Removed nodes (marked "(deleted)") do not count: their
 * number may be reused by another card.
 */
bool procfs_names_node(const char *text, const char *prefix, uint32_t *ret_index);
