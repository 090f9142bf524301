/* The description of a workload. */
#pragma once

#include "basic/macros.h"
#include "board.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_WORKLOADS 64

enum sim_pool { POOL_DRAM, POOL_L1, POOL_L1_SMALL, POOL_TRACE, POOL_CB, POOLS };

/* Releases of TT-Metal that it can be built on: v0.77, and v0.65, which has no profiler. */
enum sim_release { RELEASE_77, RELEASE_65 };

/* How a workload reports its allocations: worker.c has a function for each. */
enum via { VIA_METAL, VIA_NONE, VIA_TABLE, VIA_SOCKET, VIA_TRACED, VIA_MONITOR, VIAS };

struct workload {
	unsigned devices[MAX_DEVICES]; /* their numbers N */
	size_t device_count;	       /* 0: all devices */
	uint64_t bytes[POOLS];	       /* on each device */
	uint64_t leak;		       /* DRAM, bytes per second */
	uint64_t wave;		       /* amplitude of a periodic change of DRAM, in bytes */
	uint64_t behind;	       /* DRAM of the chip behind each device, if it has one */
	enum via via;
	unsigned opens;		  /* open file descriptions of each device */
	int64_t lifetime_ms;	  /* ends after this time; 0: never */
	int64_t restart_after_ms; /* and restarts after this time; 0: never */
	int util;		  /* per mille in its util file; -1: no file */
	double busy;		  /* percent of time with a program on its devices; -1: no figure */
	struct {
		uint32_t rate; /* programs per second */
		uint32_t lose; /* the record of each n-th program is lost; 0: none */
		enum sim_release release;
		bool is_slow;	    /* with slow dispatch, which is not measured */
		int64_t hang_ms;    /* the program that starts then does not end; -1: all end */
		int64_t until_ms;   /* no program is launched after this time; -1: no end */
		char operation[48]; /* name of the programs */
	} programs;		    /* a running machine only */
	int64_t running_ms;	    /* --static only: age of a program that does not end; 0: none */
	char bound[8];		    /* --static only: kind of the figure: exact, lower, upper */
	char unmeasured[24];	    /* --static only: why there is no figure; "": it has one */
	bool has_uid;		    /* otherwise that of the simulator; with --static: 0 */
	unsigned uid;
	int64_t age_ms;	  /* --static only: time since its start */
	char cgroup[128]; /* --static only */
	char state[32];	  /* via=traced: the last column */
	char legacy[108]; /* via=socket: path of the legacy socket */
	char name[128];	  /* argv[0] */
	char args[256];	  /* further arguments */
	char only_static[16],
		only_running[16]; /* a given key that needs such a machine; "": none */
};

/* Parses one SPEC of --workload. -EINVAL, with the invalid field in `error`. */
MUST_CHECK int workload_parse(const char *spec, struct workload *ret, char error[static 128]);

/* The default workloads. Returns their number, at most MAX_WORKLOADS. */
size_t workload_defaults(const struct slot *slots, size_t count,
			 struct workload ret[static MAX_WORKLOADS]);

/* Does it only hold devices, without computing? */
static inline bool workload_is_idle(const struct workload *w)
{
	return w->via == VIA_NONE || w->via == VIA_MONITOR;
}

/* Does it run programs that are measured, or does the tracer say why they cannot be? */
static inline bool workload_is_measured(const struct workload *w)
{
	return w->busy >= 0 || w->unmeasured[0];
}

bool workload_uses(const struct workload *w, unsigned device);

/* Its maximum DRAM on a device, without leaks. */
uint64_t workload_dram(const struct workload *w);

/* The kernel's name of the process: the last component of argv[0], truncated to 15 bytes. */
void workload_comm(const struct workload *w, char ret[static 16]);
