/* What a workload is, before it becomes a process. */
#pragma once

#include "basic/macros.h"
#include "board.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_WORKLOADS 64

enum sim_pool { POOL_DRAM, POOL_L1, POOL_L1_SMALL, POOL_TRACE, POOL_CB, POOLS };

/* How a workload reports what it has allocated: worker.c has a function for each. */
enum via { VIA_METAL, VIA_NONE, VIA_TABLE, VIA_SOCKET, VIA_TRACED, VIA_MONITOR, VIAS };

struct workload {
	unsigned devices[MAX_DEVICES]; /* their numbers N */
	size_t device_count;	       /* 0: all there are */
	uint64_t bytes[POOLS];	       /* on each of them */
	uint64_t leak;		       /* DRAM, bytes per second */
	uint64_t wave;		       /* DRAM that comes and goes, at most so many bytes */
	uint64_t behind;	       /* DRAM of the chip behind each of them, if it has one */
	enum via via;
	unsigned opens;	  /* open file descriptions of each device */
	int64_t life_ms;  /* ends after so long; 0: never */
	int64_t again_ms; /* and is started again so long after; 0: is not */
	int util;	  /* per mille in its util file; -1: no file */
	bool has_uid;	  /* else it is that of the simulator, with --static 0 */
	unsigned uid;
	int64_t age_ms;	  /* --static only: started so long ago */
	char cgroup[128]; /* --static only */
	char state[32];	  /* via=traced: the last column */
	char legacy[108]; /* via=socket: where the first allocation server would be */
	char name[128];	  /* argv[0] */
	char args[256];	  /* the words after it */
};

/* One SPEC of --workload. -EINVAL, and the field that is wrong in `error`. */
MUST_CHECK int workload_parse(const char *spec, struct workload *ret, char error[static 128]);

/* What runs if nothing was asked for. Returns how many, at most MAX_WORKLOADS. */
size_t workload_defaults(const struct slot *slots, size_t count,
			 struct workload ret[static MAX_WORKLOADS]);

/* Does it only hold devices, and computes nothing? */
static inline bool workload_is_idle(const struct workload *w)
{
	return w->via == VIA_NONE || w->via == VIA_MONITOR;
}

bool workload_uses(const struct workload *w, unsigned device);

/* What it has of a device's DRAM at the most, without what it leaks. */
uint64_t workload_dram(const struct workload *w);

/* Name of the process as the kernel keeps it: the last part of argv[0], 15 bytes of it. */
void workload_comm(const struct workload *w, char ret[static 16]);
