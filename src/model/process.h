/*
 * One process that has devices open, and its memory on each of them.
 */
#pragma once

#include "model/allocation.h"
#include "model/field.h"
#include "model/hold.h"
#include "model/utilization.h"

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
	PROC_OWNER, /* from here to PROC_UNIT: by its cgroup, all hidden by process_hide_owner() */
	PROC_CONTAINER,
	PROC_RUNTIME,
	PROC_CONTAINER_NAME,
	PROC_POD,
	PROC_POD_NAME,
	PROC_NAMESPACE,
	PROC_SLURM_JOB,
	PROC_SLURM_STEP,
	PROC_SLURM_NAME,
	PROC_SLURM_USER,
	PROC_UNIT,
	PROC_HOLDING,
	PROC_ROLE,
	PROC_QUIET,
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
	USAGE_MEMORY_FIELDS, /* their number: the fields before it are about memory */
	USE_UTILIZATION = USAGE_MEMORY_FIELDS, /* the first of struct utilization */
	USE_BOUND,
	USE_PROGRAMS,
	USE_RUNNING,
	USE_LAST_PROGRAM,
	USE_OPERATION,
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

/* The source of a process's memory figures, in ascending order of preference. */
enum tracking {
	TRACKING_NONE,
	TRACKING_METAL,	  /* TT-Metal's own counters */
	TRACKING_TRACED,  /* BPF probes */
	TRACKING_PRELOAD, /* the table of the preloaded library */
	TRACKING_WIRE,	  /* a client of the server's socket protocol */
	TRACKING_TABLE,	  /* its own libttalloc table */
	TRACKING_N,
};

/* The evidence that the process has the device open. */
enum holding {
	HOLDING_SEEN,	/* its descriptors or mappings */
	HOLDING_LISTED, /* the driver's list; its descriptors cannot be read */
	/* the driver lists it, but it exited; another process keeps the device open */
	HOLDING_OPENER_GONE,
	HOLDING_COUNTERS, /* only its memory counters */
	HOLDINGS,
};

/* Its state in /proc/PID/stat. */
enum process_state {
	PROCESS_RUNNING,
	PROCESS_SLEEPING,
	PROCESS_DISK, /* uninterruptible sleep */
	PROCESS_STOPPED,
	PROCESS_TRACED, /* stopped by a debugger */
	PROCESS_ZOMBIE,
	PROCESS_IDLE, /* an idle kernel thread */
	PROCESS_DEAD,
	PROCESS_STATE_UNKNOWN, /* an unknown letter */
	PROCESS_STATES,
};

extern const char *const tracking_names[TRACKING_N], *const holding_names[HOLDINGS];
extern const char *const process_state_names[PROCESS_STATES];

/* A process on a device. */
struct usage {
	uint8_t why[USAGE_N_FIELDS];
	size_t device;	/* index in the snapshot */
	bool connected; /* a client of the allocation server */
	bool stale;	/* left by an exited process: shown, not counted */

	uint64_t bytes[POOL_COUNT];	  /* DRAM includes trace buffers, L1 includes L1_SMALL */
	uint64_t peak[POOL_COUNT];	  /* of DRAM and L1 */
	uint64_t allocations;		  /* currently held */
	uint64_t allocs, frees, failures; /* since its start, in all pools */
	struct allocation_count counts[POOL_SPLITS]; /* the part of pool_splits in these */
	int64_t changed_ns; /* CLOCK_MONOTONIC, as its tracker knows it; 0: not known */
	bool exact;	    /* false: the amounts are lower bounds */
	enum tracking tracking;
	struct utilization utilization;
	struct allocation_list list; /* if requested */
};

/*
 * Container, job and so on of a process, by its cgroup; the names of its container and pod by
 * kubelet's links; a job's name and user by its environment. Empty strings: none.
 */
struct owner {
	char container[80]; /* id or name */
	char runtime[16];
	char container_name[64];
	char pod[40]; /* its uid */
	char pod_name[254], namespace[64];
	char slurm_job[24], slurm_step[24];
	char slurm_name[128], slurm_user[33];
	char unit[64];
	uint8_t names_why; /* if not KNOWN: why a pod has no names */
	uint8_t job_why;   /* if not KNOWN: why nothing is known about its job, or its name */
};

/*
 * The same in a process: NULL where there is none, since most processes have few of them. All are
 * in one block of memory, which begins with the first that is set.
 */
struct owner_texts {
	char *text; /* what is shown of it */
	char *container, *runtime, *container_name;
	char *pod, *pod_name, *namespace;
	char *slurm_job, *slurm_step, *slurm_name, *slurm_user;
	char *unit;
	char *block;
};

/* The job of a process as the allocation server has read it from its environment. */
struct reported_job {
	uint64_t start_ticks; /* of the process */
	char id[24], name[64], user[40];
};

enum { PROCESS_TABLES = 4 };

/* Descriptors of a process that are tables of one kind, inherited ones too. */
struct table_fds {
	int32_t list[PROCESS_TABLES];
	unsigned count;
};

struct process {
	uint8_t why[PROCESS_N_FIELDS];
	struct hold_evidence evidence; /* evidence for holding and role */
	/* since boot; identifies the process together with the pid; 0: unknown */
	uint64_t start_ticks;
	uint64_t cpu_ticks;
	int32_t parent;	    /* its pid; 0: unknown */
	int32_t ns_pids[8]; /* its pids, outermost namespace first */
	unsigned ns_depth;
	uint64_t mount_ns;		 /* inode of its mount namespace; 0: unknown */
	struct table_fds tables;	 /* of libttalloc, for their source */
	struct table_fds program_tables; /* of the preloaded library */
	/*
	 * The PCIe devices that TT_VISIBLE_DEVICES selects, one bit per device in the order of
	 * their addresses. Two values if they depend on a TT-Metal release that is unknown; none if
	 * the variable is unset, was not read, or may not be read.
	 */
	uint64_t visible[2];
	uint8_t n_visible;
	enum reason visible_why; /* KNOWN, or why its device numbers cannot be translated */

	int32_t pid; /* 0: a process that is not visible */
	int32_t ns_pid;
	char name[64];
	char program[64]; /* the name that it reported for itself */
	char *command;	  /* shared text (basic/shared_text.h) */
	char user[33];
	uint32_t uid;
	double start_time; /* Unix time */
	double elapsed;
	enum process_state state;
	double cpu;
	uint64_t host_memory;
	struct owner_texts owner;
	struct reported_job *reported_job; /* NULL: none */
	enum holding holding;
	enum role role;
	int64_t changed_ns; /* CLOCK_MONOTONIC, when its memory last changed; 0: not observed */
	double quiet;	    /* seconds */

	struct usage *usages; /* one per device, in the order of devices */
	size_t n_usages;
};

extern const struct field_table process_fields, usage_fields;

/* The fields of a pool; only DRAM and L1 have a peak. */
struct usage_pool {
	uint8_t bytes, peak;
};

extern const struct usage_pool usage_pools[POOL_COUNT];

/* Everything is unknown, except for the pid if it is not 0. */
void process_init(struct process *process, int32_t pid);
void process_done(struct process *process);

static inline bool process_knows(const struct process *process, enum process_field field)
{
	return process->why[field] == KNOWN;
}

/* Its entry for a device, added if missing. NULL: out of memory. */
struct usage *process_use(struct process *process, size_t device);

/* Its entry for a device; NULL if there is none. */
struct usage *process_find_usage(const struct process *process, size_t device);

/* Sum over all its devices. False if all of it is unknown. */
bool process_total(const struct process *process, enum usage_field field, uint64_t *ret);

/* Its entry for the device that it keeps busiest, of those where this is known; NULL if none. */
const struct usage *process_find_busiest(const struct process *process);

/* Sets or gets the fields USE_UTILIZATION to USE_OPERATION. */
void usage_set_utilization(struct usage *usage, const struct utilization_figure *figure);
struct utilization_figure usage_utilization(const struct usage *usage);

/* Sets them, unless what is there says more. */
void usage_offer_utilization(struct usage *usage, const struct utilization_figure *figure);

/* Sets the reason why its memory is unknown, unless one is set. */
void usage_set_reason(struct usage *usage, enum reason why);

void process_set_holding(struct process *process, enum holding how);

void process_set_role(struct process *process, enum role role);

/* Also sets the derived fields, e.g. owner_text. */
void process_set_owner(struct process *process, const struct owner *owner);

/*
 * Makes its command line, user and owner unknown (DENIED): for readers that may not know whose it
 * is. The texts themselves stay as they are, so a shallow copy can be changed.
 */
void process_hide_owner(struct process *process);

/* Does the program with this name run scripts? */
bool process_is_interpreter(const char *name);

/*
 * The script that an interpreter runs, from its command line: the base name, not NUL-terminated.
 * NULL if the program is not an interpreter or runs no script.
 */
const char *process_script(const char *program, const char *command, size_t *ret_length);

/*
 * The name to show: the one that the process reported, or its command name. For an interpreter with
 * its script, since "python3" alone says little. At most size - 1 bytes.
 */
void process_label(const struct process *process, char *text, size_t size);
