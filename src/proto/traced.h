/*
 * Files that the tracer pins below /run/tt-smi/bpf: memory of each process on each chip
 * (allocations), the devices that each process has open (holders), and the jobs that died on each
 * device (deaths). They are text tables, so that people can read them too; docs/tracing.md has the
 * columns.
 *
 * They are written by a BPF program, perhaps of another version, and read in pieces: a text is
 * either parsed completely or rejected.
 */
#pragma once

#include "basic/macros.h"
#include "basic/trace_fault.h"
#include "model/pool.h"
#include "proto/traced_line.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACED_CHIPS	   64u
#define TRACED_FOLDER	   "run/tt-smi/bpf"
#define TRACED_ALLOCATIONS TRACED_FOLDER "/allocations"
#define TRACED_HOLDERS	   TRACED_FOLDER "/holders"
#define TRACED_DEATHS	   TRACED_FOLDER "/deaths"
#define TRACED_WATCHER	   "run/tt-smi/trace.watcher" /* pid and start time of the tracer process */

enum traced_state {
	TRACED_EXACT,
	TRACED_SINCE_ATTACH, /* it started before the tracer: lower bounds */
	TRACED_UNRELIABLE,   /* the figures are wrong */
};

/* A process on one chip. */
struct traced_memory {
	int32_t pid;	      /* in the initial pid namespace */
	uint64_t start_ticks; /* field 22 of /proc/PID/stat; pid and start identify a process */
	char comm[TRACED_COMM];
	bool has_chip;		    /* false: it is traced, but has allocated nothing */
	uint32_t chip;		    /* TT-Metal's logical number in that process */
	uint64_t bytes[POOL_COUNT]; /* disjoint */
	uint64_t buffers;	    /* current ones, in all pools */
	enum traced_state state;
	enum trace_fault fault; /* if TRACED_UNRELIABLE */
};

/* The role of a process that holds devices, determined by the tracer. */
enum traced_role {
	TRACED_ROLE_UNKNOWN, /* not determined, or an older tracer */
	TRACED_ROLE_JOB,     /* despite its name, which is on the list of monitors */
	TRACED_ROLE_MONITOR,
};

/* An open descriptor of a device. */
struct traced_holder {
	int32_t pid;
	uint64_t start_ticks;
	char comm[TRACED_COMM];
	uint32_t device; /* N of /dev/tenstorrent/N */
	uint32_t fd;
	enum traced_role role;
};

/* A device, and the last job that died abruptly while it had it open. */
struct traced_death {
	uint32_t device;      /* N of /dev/tenstorrent/N */
	uint64_t since_ticks; /* since boot: from when on jobs on it are observed */
	bool has_death;	      /* false: none has died; the following is not set */
	int32_t pid;
	char comm[TRACED_COMM];
	uint32_t signal;
	uint64_t ended_ticks; /* since boot */
};

/*
 * Returns the lines in the order of the text; the caller frees *ret. -EBADMSG: malformed or
 * truncated; -EPROTONOSUPPORT: other columns; -ENOMEM.
 */
MUST_CHECK int traced_parse_allocations(const char *text, struct traced_memory **ret,
					size_t *ret_count);
MUST_CHECK int traced_parse_holders(const char *text, struct traced_holder **ret,
				    size_t *ret_count);
MUST_CHECK int traced_parse_deaths(const char *text, struct traced_death **ret, size_t *ret_count);
