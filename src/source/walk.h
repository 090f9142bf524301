/*
 * Which devices a process has open, by its descriptors and mappings; for one
 * process or all of them.
 *
 * On a live machine a descriptor is the device's if its device number is: names
 * differ in containers. In a recorded or simulated tree the links are texts.
 *
 * Looking costs 2 us per descriptor, so it is remembered: a process whose number of
 * descriptors did not change is not looked at again, but for a part of them in turn
 * each time.
 */
#pragma once

#include "basic/root.h"
#include "basic/macros.h"
#include "model/process.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* What a process has open: a set of device indices, and tables of libttalloc. */
#define WALK_MAX_DEVICES 256 /* four times what a machine holds today */
struct walk_seen {
	uint64_t words[WALK_MAX_DEVICES / 64];
	int32_t tables[PROCESS_TABLES]; /* descriptors; after a fork the parent's too */
	unsigned n_tables;
};

static inline void walk_seen_add(struct walk_seen *seen, uint32_t index)
{
	if (index < WALK_MAX_DEVICES)
		seen->words[index / 64] |= UINT64_C(1) << index % 64;
}

static inline bool walk_seen_has(const struct walk_seen *seen, uint32_t index)
{
	return index < WALK_MAX_DEVICES && seen->words[index / 64] >> index % 64 & 1;
}

/* What was seen of a process, and by what it is told that nothing changed since. */
struct walk_known {
	int32_t pid;
	int error;	     /* of looking at it */
	unsigned spared;     /* so many more looks, if nothing changes */
	int64_t descriptors; /* st_size of /proc/PID/fd; 0 on kernels before 6.2 */
	uint64_t inode;	     /* of that directory: another one after the number's reuse; 0: new */
	struct timespec changed;
	struct walk_seen seen;
};

struct walk;

MUST_CHECK int walk_new(const struct root *root, struct walk **ret);
struct walk *walk_free(struct walk *walk);

/* Learns the driver's device number, once per sample. */
MUST_CHECK int walk_begin(struct walk *walk);

/*
 * Fills the devices that one process has open; if one that is expected is not among
 * them, those that it has mapped as well. Only the pid need be filled in before; what
 * else an earlier look left there may spare this one. -ENOENT: no such process;
 * -EACCES: we may not look. Safe from any thread between two walk_begin().
 */
MUST_CHECK int walk_look(const struct walk *walk, const struct walk_seen *expected,
			 struct walk_known *known);

/*
 * Looks at every process but our own; the argument is the walk. A job's work: a
 * descriptor on a file server that is gone can hang it.
 */
void walk_run(void *walk);

/*
 * Calls each() for every process of the last walk_run() that has a device open, or,
 * with tables, only a table. *ret_complete: there was no process that we may not look
 * at. -errno if the walk or each() failed.
 */
MUST_CHECK int walk_each(const struct walk *walk, bool tables,
			 int (*each)(int32_t pid, const struct walk_seen *seen, void *arg),
			 void *arg, bool *ret_complete);
