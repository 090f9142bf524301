/*
 * Caches the state of files that processes execute: is it TT-Metal, and does it have probes? Each
 * file is read once. Nearly all of them are not TT-Metal, so that is cached too.
 *
 * Thread-safe: searches (trace/library_search.h) use it from threads of the worker pool.
 */
#pragma once

#include "basic/macros.h"
#include "basic/trace_fault.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct file_state {
	/* The key: a file with these contents. */
	uint64_t st_dev, st_ino;
	int64_t changed; /* ns, its mtime */

	bool is_metal;
	bool is_stale;		/* to be read again */
	bool is_pending;	/* a search has read it, and file_attach() has not decided yet */
	enum trace_fault fault; /* of the processes that map it */
	/* the word of the fault, or why it has no probes; NULL: it has */
	const char *problem;
	uint32_t library; /* id of its probes; 0: none */
};

struct file_cache {
	pthread_mutex_t lock; /* never held across a blocking call */
	void *tree;	      /* struct file_state by key */
	size_t count;
};

void file_cache_init(struct file_cache *cache);
void file_cache_done(struct file_cache *cache);

/* A state with only its key set. */
struct file_state file_state_init(const struct stat *st);

/* Fills the state with this key. False if it is not cached, or stale. */
bool file_cache_find(struct file_cache *cache, struct file_state *state);

MUST_CHECK int file_cache_put(struct file_cache *cache, const struct file_state *state);

/*
 * Marks states of TT-Metal files as stale if is_stale() returns true. It is called with the lock
 * held.
 */
void file_cache_refresh(struct file_cache *cache,
			bool (*is_stale)(const struct file_state *state, const void *arg),
			const void *arg);
