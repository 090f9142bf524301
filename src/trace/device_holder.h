/*
 * A process that has a device open: its files are searched for TT-Metal, it is entered into the
 * kernel's table of processes, and `tt_smi trace status` explains why if it is not traced.
 */
#pragma once

#include "trace/scan_state.h"

struct device_holder {
	pid_t pid;
	uint64_t start;
	char comm[TRACE_COMM + 1];
	uint64_t pages;			  /* of its address space at the last search */
	unsigned age;			  /* scans since then */
	struct library_search *search;	  /* under way; NULL: none */
	int64_t blocked_since;		  /* ns; its files do not answer since then; 0: they do */
	bool is_followed;		  /* it is in the kernel's table */
	bool is_partial;		  /* it maps a TT-Metal that is not attached to */
	uint32_t libraries[TRACE_COPIES]; /* ids of those that it maps; 0 ends the list */
	size_t n_files;			  /* of TT-Metal that it maps, attached to or not */
	const char *problem;		  /* why it is not followed, or not completely; or NULL */
	char file[256];			  /* the file that the problem is about; may be empty */
};

/* Adds a search of its files to the next round, if one is due. */
MUST_CHECK int device_holder_prepare(struct device_holder *holder, struct scan_state *scan);

/* After the round: takes the result of the search. */
MUST_CHECK int device_holder_collect(struct device_holder *holder, struct scan_state *scan);

bool device_holder_maps(const struct device_holder *holder, uint32_t library);
