/*
 * A search for TT-Metal in the files that a process executes, or in one file.
 *
 * The files belong to other users. A read from a file system that does not respond (FUSE, a
 * network) blocks in the kernel, where no signal interrupts it. So a search is a job of the worker
 * pool: it writes to its own memory only, and may end long after the scan that started it.
 */
#pragma once

#include "trace/file_cache.h"

#include "basic/worker_pool.h"
#include "metal/library.h"

#include <limits.h>
#include <sys/types.h>

/* A file with TT-Metal's symbols. */
struct library_file {
	bool is_fuse; /* its contents come from a user-space program */
	int read;     /* result of metal_library_read() */
	struct metal_library library;
	struct stat st;
	int fd;		/* -1: its state was cached, it was not opened */
	char name[256]; /* for messages */
};

struct library_search {
	struct job job;
	struct library_search *next; /* in library_searches.all */
	bool is_abandoned;	     /* freed when it ends */
	struct library_searches *searches;
	int64_t began; /* ns */
	pid_t pid;     /* the process whose files are searched; 0: the file at path */
	uid_t owner;   /* user of that process; -1: unknown */
	char path[PATH_MAX];

	/* While it reads a file; protected by the lock of library_searches. */
	struct library_search *next_busy;
	uint64_t device; /* of the file system; 0: unknown */
	int64_t since;	 /* ns */

	/* Results, when the job is done. */
	int result;	 /* of reading the list of files, or of the file at path */
	bool has_unread; /* some files could not be read */
	struct stat st;	 /* of the file at path */
	struct library_file *found;
	size_t n_found;
};

/* All searches of this program. */
struct library_searches {
	struct file_cache *cache;
	struct library_search *all;  /* used by the scanning thread only */
	pthread_mutex_t lock;	     /* never held across a blocking call */
	struct library_search *busy; /* those that read a file now */
};

void library_searches_init(struct library_searches *searches, struct file_cache *cache);

/* No search may be busy. */
void library_searches_done(struct library_searches *searches);

/* Frees the abandoned searches that have ended. */
void library_searches_clean(struct library_searches *searches, struct worker_pool *workers);

/* Searches the files of a process (pid), or one file (pid 0, path). NULL: out of memory. */
struct library_search *library_search_new(struct library_searches *searches, pid_t pid,
					  const char *path);

/* Discards the result; library_searches_clean() frees the search. Takes NULL. */
void library_search_abandon(struct library_search *search);

/* It must not be busy. Takes NULL, returns NULL. */
struct library_search *library_search_free(struct library_search *search);
