/*
 * A look at the files that a process executes, or at one file: which are TT-Metal?
 *
 * The files are strangers'. One on a file system that does not answer (FUSE, a network)
 * holds whoever touches it, signals or not. So a look is a job of the worker pool: it writes
 * into its own memory only, takes the lock of what is known for moments, and may end
 * long after whoever asked has gone on.
 */
#pragma once

#include "trace/files.h"

#include "basic/worker_pool.h"
#include "metal/library.h"

#include <limits.h>

/* A file with TT-Metal's symbols. */
struct found {
	bool is_served; /* by a program: see files_take() */
	int read;	/* what metal_library_read() said */
	struct metal_library library;
	struct stat st;
	int fd;		/* -1: another look has read it */
	char name[256]; /* for people */
};

struct look {
	struct job job;
	struct look *next; /* of all that there are */
	bool is_left;	   /* nobody waits for it any more */
	struct files *files;
	int64_t began; /* ns */
	pid_t pid;     /* whose files; 0: the one at path */
	uid_t owner;   /* of that process; -1: nobody knows */
	char path[PATH_MAX];

	/* What it touches, 0 if that shows later, while it does; under the lock of the files. */
	struct look *next_busy;
	uint64_t device;
	int64_t since;

	/* When it is done. */
	int result;	/* of reading the list of files, or of the one file */
	bool unread;	/* there are files that could not be looked at */
	struct stat st; /* of the file at path */
	struct found *found;
	size_t n_found;
};

/* pid: whose files; or path: which file. NULL: out of memory. */
struct look *look_new(struct files *files, pid_t pid, const char *path);

/* Whoever asked goes on without it; freed when it has ended. NULL: nothing. */
void look_leave(struct look *look);

/* It must not be busy. Takes NULL, returns NULL. */
struct look *look_free(struct look *look);
