/*
 * The whole truth at one instant. Sources fill it, nobody changes it afterwards,
 * every output is a reading of it. It owns its devices, processes and texts, unless
 * it has borrowed the processes of an earlier one.
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
	char timestamp[32]; /* local time, as nvidia-smi writes it */
	char driver[32];
	uint32_t count; /* devices */
	char hostname[65];
	char kernel[65];
	/* For the vendor's layout only; empty or 0 if not asked for. */
	char distribution[128];
	char machine[65];
	uint64_t memory;
};

/* What TT-Metal's files still say of a process that is gone, or out of sight. */
struct stale_usage {
	size_t device;
	int32_t pid; /* in its own namespace */
	char name[64];
	uint64_t bytes[POOL_COUNT]; /* DRAM with trace buffers, L1 with L1_SMALL; no others */
	enum reason why;	    /* STALE or OTHER_NAMESPACE */
};

/* Something that went wrong on the way, for errors[] and -q. */
struct problem {
	const char *source;
	char *text;
};

struct snapshot {
	struct host host;
	int64_t taken_ns; /* CLOCK_MONOTONIC */
	int64_t asked_ns; /* the same clock, when processes and memory were; earlier if borrowed */
	int64_t wall_ns;  /* CLOCK_REALTIME, or the time of the recording */
	bool simulated;	  /* a tree made by tt_smi sim */
	bool recorded;	  /* a tree captured earlier */
	bool driver_loaded;	/* if not, all devices are unserved ones */
	int32_t server_pid;	/* of the allocation server; 0: none answered */
	bool server_mute;	/* one is there, but did not answer */
	struct device *devices; /* by index, a remote chip after its gateway; unserved ones last */
	size_t n_devices;
	struct process *processes; /* by pid */
	size_t n_processes;
	struct stale_usage *stale_usages;
	size_t n_stale_usages;
	struct accounted *accounts; /* finished processes, oldest first */
	size_t n_accounts;
	struct problem *problems;
	size_t n_problems;
	struct snapshot *lender; /* whose processes and all that follows are; NULL: its own */
	atomic_uint refs;
};

extern const struct field_table host_fields;

/* "server running", "server does not answer"; NULL: there is none. */
const char *snapshot_server(const struct snapshot *snapshot);

MUST_CHECK int snapshot_new(struct snapshot **ret);
struct snapshot *snapshot_free(struct snapshot *snapshot);

/*
 * Takes over who holds what and how much from an earlier one, which stays as long as
 * it is needed: free both as usual, from any thread. For a snapshot of devices alone.
 * False: the devices are others by now, or in another condition.
 */
MUST_CHECK bool snapshot_borrow(struct snapshot *snapshot, struct snapshot *before);

/* Bytes it takes, about: what it has borrowed counts as its own. */
size_t snapshot_bytes(const struct snapshot *snapshot);

/* Adds one at its place; the others may move. NULL: no memory. */
struct device *snapshot_add_device(struct snapshot *snapshot, const struct device *device);
struct process *snapshot_add_process(struct snapshot *snapshot, int32_t pid);
struct process *snapshot_find_process(const struct snapshot *snapshot, int32_t pid);
int snapshot_add_accounted(struct snapshot *snapshot, const struct accounted *account);
int snapshot_add_stale_usage(struct snapshot *snapshot, const struct stale_usage *stale);

/* Says what went wrong; out of memory it is not said. */
void snapshot_complain(struct snapshot *snapshot, const char *source, const char *format, ...)
	PRINTF(3, 4);

/* Drops processes that turned out to be on no device. */
void snapshot_drop_idle(struct snapshot *snapshot);

/* Keeps the devices with keep[i] and the processes on them. */
void snapshot_keep(struct snapshot *snapshot, const bool *keep);
