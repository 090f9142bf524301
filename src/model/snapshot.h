/*
 * The state of the machine at one instant. Sources fill it, then it is immutable, and every output
 * is rendered from it. It owns its devices, processes and texts, unless it borrows the processes of
 * an earlier one.
 */
#pragma once

#include "basic/macros.h"
#include "model/accounted.h"
#include "model/device.h"
#include "model/process.h"

#include <stdatomic.h>
#include <stdint.h>

enum host_field {
	HOST_TIMESTAMP,
	HOST_DRIVER,
	HOST_COUNT,
	HOST_HOSTNAME,
	HOST_KERNEL,
	HOST_N_FIELDS,
};

struct host {
	uint8_t why[HOST_N_FIELDS];
	char timestamp[32]; /* local time in the format of nvidia-smi */
	char driver[32];
	uint32_t count; /* number of devices */
	char hostname[65];
	char kernel[65];
	/* Only for the vendor's layout; empty or 0 if not requested. */
	char distribution[128];
	char machine[65];
	uint64_t memory;
};

/* Memory that TT-Metal's files still record for a process that exited or is not visible. */
struct stale_usage {
	size_t device;
	int32_t pid; /* in its own pid namespace */
	char name[64];
	/* DRAM includes trace buffers, L1 includes L1_SMALL; no other pools */
	uint64_t bytes[POOL_COUNT];
	enum reason why; /* STALE or OTHER_NAMESPACE */
};

/* An error while sampling, shown in errors[] and -q. */
struct problem {
	const char *source;
	char *text;
};

/* How a source did in a sample. */
struct source_health {
	const char *source;
	int64_t duration_ns;
	bool up; /* it had no problem */
};

enum { SNAPSHOT_SOURCES = 16 };

struct snapshot {
	struct host host;
	int64_t taken_ns; /* CLOCK_MONOTONIC */
	/* CLOCK_MONOTONIC, when processes and memory were read; earlier if borrowed */
	int64_t asked_ns;
	int64_t wall_ns;	  /* CLOCK_REALTIME, or the time of the recording */
	bool simulated;		  /* a tree made by tt_smi sim */
	bool recorded;		  /* a recorded tree */
	bool driver_loaded;	  /* false: all devices are unserved */
	int32_t server_pid;	  /* of the allocation server; 0: none replied */
	bool server_unresponsive; /* a server exists, but does not reply */
	bool claims_reported;	  /* it has said which devices are prepared for claims */
	struct device *devices; /* by index, a remote chip after its gateway; unserved ones last */
	size_t n_devices;
	struct source_health sources[SNAPSHOT_SOURCES]; /* in the order of asking */
	size_t n_sources;
	struct process *processes; /* sorted by pid */
	size_t n_processes;
	struct stale_usage *stale_usages;
	size_t n_stale_usages;
	struct accounted *accounts; /* finished processes, oldest first */
	size_t n_accounts;
	struct problem *problems;
	size_t n_problems;
	struct snapshot
		*lender; /* owner of the processes and of all that follows; NULL: this snapshot */
	atomic_uint refs;
};

extern const struct field_table host_fields;

/* "server running", "server does not answer"; NULL if there is none. */
const char *snapshot_server(const struct snapshot *snapshot);

MUST_CHECK int snapshot_new(struct snapshot **ret);
struct snapshot *snapshot_free(struct snapshot *snapshot);

/*
 * Shares the processes and memory of an earlier snapshot, which stays allocated as long as needed:
 * free both as usual, from any thread. For a snapshot that has only devices. False if the devices
 * have changed in number or state.
 */
MUST_CHECK bool snapshot_borrow(struct snapshot *snapshot, struct snapshot *before);

/* Approximate size in bytes, including what it has borrowed. */
size_t snapshot_bytes(const struct snapshot *snapshot);

/* Inserts it in order; the others may move. NULL: out of memory. */
struct device *snapshot_add_device(struct snapshot *snapshot, const struct device *device);
struct process *snapshot_add_process(struct snapshot *snapshot, int32_t pid);
struct process *snapshot_find_process(const struct snapshot *snapshot, int32_t pid);
/*
 * The same chip at the same place on the bus: an index can be reused by another card. hint: the
 * index where it probably is. NULL if there is none, or no snapshot.
 */
const struct device *snapshot_find_device(const struct snapshot *snapshot, const struct device *dev,
					  size_t hint);
int snapshot_add_accounted(struct snapshot *snapshot, const struct accounted *account);
int snapshot_add_stale_usage(struct snapshot *snapshot, const struct stale_usage *stale);

/* Adds a problem; it is dropped if memory is short. */
void snapshot_add_problem(struct snapshot *snapshot, const char *source, const char *format, ...)
	PRINTF(3, 4);

/* The first problem of a source; "" if it has none. */
const char *snapshot_problem(const struct snapshot *snapshot, const char *source);

/* Drops processes that have no device. */
void snapshot_drop_idle(struct snapshot *snapshot);

/* Keeps the devices with keep[i] set, and their processes. */
void snapshot_keep(struct snapshot *snapshot, const bool *keep);

/*
 * Makes the names of operations unknown (DENIED): for readers that may be neither root nor the
 * owner of the process. Processes that it has borrowed are not changed.
 */
void snapshot_hide_operations(struct snapshot *snapshot);
