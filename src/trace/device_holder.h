/*
 * A process that has a device open: its files are searched for TT-Metal, it is added to the
 * kernel's table of processes, and `tt_smi trace status` explains why if it is not traced.
 */
#pragma once

#include "trace/scan_state.h"

struct device_holder {
	pid_t pid;
	uint64_t start;
	char comm[TRACE_COMM + 1];
	size_t n_devices;	       /* that it has open */
	uint64_t pages;		       /* of its address space at the last search */
	unsigned age;		       /* scans since then */
	struct library_search *search; /* in progress; NULL: none */
	/* ns; its files have been blocked since then; 0: they are not */
	int64_t blocked_since;
	bool is_followed;		  /* it is in the kernel's table */
	bool is_partial;		  /* it maps a TT-Metal without probes */
	uint32_t libraries[TRACE_COPIES]; /* ids of those that it maps; 0-terminated */
	size_t n_files;	     /* number of TT-Metal files that it maps, with or without probes */
	const char *problem; /* why it is not traced, or not completely; or NULL */
	char file[256];	     /* the file that the problem is about; may be empty */
};

/* Adds a search of its files to the next round, if one is due. */
MUST_CHECK int device_holder_prepare(struct device_holder *holder, struct scan_state *scan);

/* To be called after the round: takes the result of the search. */
MUST_CHECK int device_holder_collect(struct device_holder *holder, struct scan_state *scan);

bool device_holder_maps(const struct device_holder *holder, uint32_t library);
