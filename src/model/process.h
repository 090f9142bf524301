/*
 * One process that has devices open, and its memory on each of them.
 */
#pragma once

#include "model/allocation.h"
#include "model/field.h"
#include "model/hold.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum process_field {
	PROC_PID,
	PROC_NS_PID,
	PROC_NAME,
	PROC_PROGRAM,
	PROC_COMMAND,
	PROC_USER,
	PROC_UID,
	PROC_START_TIME,
	PROC_ELAPSED,
	PROC_STATE,
	PROC_CPU,
	PROC_HOST_MEMORY,
	PROC_OWNER,
	PROC_CONTAINER,
	PROC_RUNTIME,
	PROC_POD,
	PROC_SLURM_JOB,
	PROC_SLURM_STEP,
	PROC_UNIT,
	PROC_HOLDING,
	PROC_ROLE,
	PROCESS_N_FIELDS,
};

enum usage_field {
	USE_DRAM,
	USE_L1,
	USE_L1_SMALL,
	USE_TRACE,
	USE_CB,
	USE_SYSTEM,
	USE_KERNEL,
	USE_PEAK_DRAM,
	USE_PEAK_L1,
	USE_ALLOCATIONS,
	USE_ALLOCS,
	USE_FREES,
	USE_FAILURES,
	USE_EXACT,
	USE_TRACKING,
	USAGE_N_FIELDS,
};

#define PROCESS_FIELD(name)             \
	{                               \
		OF_PROCESS, PROC_##name \
	}
#define USAGE_FIELD(name)            \
	{                            \
		OF_USAGE, USE_##name \
	}

/* Who told us of a process's memory, the best last. */
enum tracking {
	TRACKING_NONE,
	TRACKING_METAL,	  /* TT-Metal's own counters */
	TRACKING_TRACED,  /* seen by BPF */
	TRACKING_PRELOAD, /* the table of the preloaded library */
	TRACKING_WIRE,	  /* a client of the server's socket protocol */
	TRACKING_TABLE,	  /* its own libttalloc table */
	TRACKING_N,
};

/* How sure we are that the process has the device open. */
enum holding {
	HOLDING_SEEN,	     /* its descriptors or mappings show it */
	HOLDING_LISTED,	     /* the driver lists it; we may not look at its descriptors */
	HOLDING_OPENER_GONE, /* the driver lists it, but it exited; another process holds on */
	HOLDING_COUNTERS,    /* only its memory counters tell */
	HOLDINGS,
};

/* What the kernel says it does. */
enum process_state {
	PROCESS_RUNNING,
	PROCESS_SLEEPING,
	PROCESS_DISK, /* a sleep that no signal ends */
	PROCESS_STOPPED,
	PROCESS_TRACED, /* stopped by a debugger */
	PROCESS_ZOMBIE,
	PROCESS_IDLE, /* a thread of the kernel */
	PROCESS_DEAD,
	PROCESS_STATE_UNKNOWN, /* a letter that we do not know */
	PROCESS_STATES,
};

extern const char *const tracking_names[TRACKING_N], *const holding_names[HOLDINGS];
extern const char *const process_state_names[PROCESS_STATES];

/* A process on a device. */
struct usage {
	uint8_t why[USAGE_N_FIELDS];
	size_t device;	/* position in the snapshot */
	bool connected; /* a client of the allocation server */
	bool stale;	/* left behind by a process that is gone: shown, not counted */

	uint64_t bytes[POOL_COUNT];	  /* DRAM with trace buffers, L1 with L1_SMALL */
	uint64_t peak[POOL_COUNT];	  /* of DRAM and L1 */
	uint64_t allocations;		  /* held */
	uint64_t allocs, frees, failures; /* so far */
	bool exact;			  /* if not, it has at least this much */
	enum tracking tracking;
	struct allocation_list list; /* if asked for */
};

/* Where a process belongs, by its cgroup. Empty strings: no such thing. */
struct owner {
	char container[80]; /* id or name */
	char runtime[16];
	char pod[40];
	char slurm_job[24], slurm_step[24];
	char unit[64];
};

#define PROCESS_TABLES 4

struct process {
	uint8_t why[PROCESS_N_FIELDS];
	struct hold_evidence evidence; /* that both were judged by */
	uint64_t start_ticks;	       /* since boot; identity together with the pid; 0 unknown */
	uint64_t cpu_ticks;
	int32_t parent;	    /* its pid; 0: not known */
	int32_t ns_pids[8]; /* its pids, outermost namespace first */
	unsigned ns_depth;
	uint64_t mount_ns;		/* inode of its mount namespace; 0: not known */
	int32_t tables[PROCESS_TABLES]; /* descriptors of libttalloc tables, for their source */
	unsigned n_tables;
	/*
	 * The PCIe devices that TT_VISIBLE_DEVICES selects, bit per device in the order of their
	 * addresses. Two answers if that depends on a release of TT-Metal that is not known;
	 * none if the variable is not set, was not read, or may not be read.
	 */
	uint64_t visible[2];
	uint8_t n_visible;
	enum reason visible_why; /* KNOWN, or why its device numbers cannot be translated */

	int32_t pid; /* 0: somebody we cannot see */
	int32_t ns_pid;
	char name[64];
	char program[64]; /* what it calls itself */
	char *command;
	char user[33];
	uint32_t uid;
	double start_time; /* Unix time */
	double elapsed;
	enum process_state state;
	double cpu;
	uint64_t host_memory;
	char owner_text[96];
	struct owner owner;
	enum holding holding;
	enum role role;

	struct usage *usages; /* one per device, in the order of devices */
	size_t n_usages;
};

extern const struct field_table process_fields, usage_fields;

/* The fields of a pool, as enum usage_field; only DRAM and L1 have a peak. */
struct usage_pool {
	uint8_t bytes, peak;
};

extern const struct usage_pool usage_pools[POOL_COUNT];

/* Everything unknown; the pid known unless 0. */
void process_init(struct process *process, int32_t pid);
void process_done(struct process *process);

static inline bool process_knows(const struct process *process, enum process_field field)
{
	return process->why[field] == KNOWN;
}

/* Its entry for a device, made if it is missing. NULL: no memory. */
struct usage *process_use(struct process *process, size_t device);

/* The same without making one. */
struct usage *process_find_usage(const struct process *process, size_t device);

/* Memory on all its devices: false if nothing of it is known. */
bool process_total(const struct process *process, enum usage_field field, uint64_t *ret);

/* Why nothing is known of its memory, unless a reason was given already. */
void usage_blame(struct usage *usage, enum reason why);

void process_set_holding(struct process *process, enum holding how);

void process_set_role(struct process *process, enum role role);

/* Sets name, owner_text and their like from what a source read. */
void process_set_owner(struct process *process, const struct owner *owner);

/*
 * The script that an interpreter runs, by its command line: the base name, not NUL-terminated.
 * NULL: the program is no interpreter, or runs no script.
 */
const char *process_script(const char *program, const char *command, size_t *ret_length);

/*
 * What people call it: what it calls itself, or its name, and for an interpreter its
 * script too, since a script is more use than the tenth "python3". Text of at most size - 1 bytes.
 */
void process_label(const struct process *process, char *text, size_t size);
