/*
 * The state of tt_allocd at one instant, as one flat block: the answer to WIRE_SNAPSHOT.
 *
 *         header | processes | usages | allocations | devices
 *
 * Records have a fixed size and refer to each other by index. Each process owns a run of usages
 * (one per device and pool that it ever used) and a run of allocations. Running processes come
 * first, then finished ones, oldest first.
 *
 * The server counts, allocates a block of image_size(), and fills it in place with one call per
 * record, in the order processes, usages of the process, allocations of the process. A reader has a
 * private copy, so it validates it once and then uses it in place.
 *
 * docs/shared-memory.md describes it and must be changed together with this file.
 */
#pragma once

#include "basic/macros.h"
#include "proto/table.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define IMAGE_MAGIC   UINT64_C(0x314547414d495454) /* "TTIMAGE1" on a little-endian machine */
#define IMAGE_VERSION 1u
#define IMAGE_NAME    64u /* size of a name, including the NUL */

/* The source of a process's figures, best first. */
enum image_origin {
	IMAGE_TABLE = 1,  /* its own table */
	IMAGE_LEGACY = 2, /* the legacy protocol */
	IMAGE_TRACED = 3, /* BPF probes */
	IMAGE_METAL = 4,  /* TT-Metal's counters, read by the server */
	IMAGE_ORIGINS,
};

enum image_process_flag {
	IMAGE_FINISHED = 1 << 0,   /* ended_ns is set; usages hold its last values */
	IMAGE_EXIT_KNOWN = 1 << 1, /* exit_status is set */
	/* allocations exist, but were not requested or belong to another user */
	IMAGE_LIST_HIDDEN = 1 << 2,
	IMAGE_LIST_CUT = 1 << 3,     /* the list of allocations is incomplete */
	IMAGE_TOTALS_LOW = 1 << 4,   /* the totals are lower bounds */
	IMAGE_INCONSISTENT = 1 << 5, /* some figures were inconsistent and are omitted */
	/* IMAGE_TABLE: the table of the preloaded library, not of the program */
	IMAGE_PRELOAD = 1 << 6,
	IMAGE_ROLE = 1 << 7,	/* no figures: gives the role of a process that holds devices */
	IMAGE_MONITOR = 1 << 8, /* IMAGE_ROLE: it is a monitor; else a job */
	/* no figures: the Slurm job of a process that holds devices; name is the job's */
	IMAGE_JOB = 1 << 9,
	/* no figures, pid of the server: a device that is prepared for the claim `name` */
	IMAGE_CLAIM = 1 << 10,
};

/* Records of other things than figures, which readers without them ignore. */
enum { IMAGE_NOTES = IMAGE_ROLE | IMAGE_JOB | IMAGE_CLAIM };

enum image_flag {
	/* the server knows which devices are prepared: those with a record IMAGE_CLAIM */
	IMAGE_HAS_CLAIMS = 1 << 0,
};

struct image_header {
	uint64_t magic;
	uint32_t version;
	uint32_t header_size;
	uint64_t length;       /* of the whole image */
	uint64_t monotonic_ns; /* when it was taken */
	uint64_t realtime_ns;
	uint64_t server_start_ns; /* CLOCK_REALTIME */
	uint32_t server_pid;
	uint32_t flags; /* bits of enum image_flag; unknown ones are ignored */
	uint64_t process_offset;
	uint64_t usage_offset;
	uint64_t allocation_offset;
	uint32_t process_count;
	uint32_t usage_count;
	uint32_t allocation_count;
	uint32_t finished_total; /* processes that ever finished, including dropped accounts */
	uint64_t device_offset;	 /* 0: an older server, which has no such section */
	uint32_t device_count;
	uint32_t reserved;
	uint64_t reserved2[2];
};

/* Of IMAGE_JOB. Both are NUL-terminated, and may contain control characters. */
struct image_job {
	char id[24];
	char user[40];
	uint64_t reserved;
};

/* Of IMAGE_CLAIM. */
struct image_claim {
	uint32_t node; /* N of /dev/tenstorrent/N */
	uint32_t reserved[17];
};

struct image_process {
	uint32_t pid; /* in the server's pid namespace */
	uint32_t uid;
	/* field 22 of /proc/PID/stat; identifies the process together with pid */
	uint64_t start_ticks;
	uint64_t start_ns;   /* CLOCK_REALTIME; 0: unknown */
	uint64_t ended_ns;   /* CLOCK_REALTIME; 0: still running */
	uint32_t origin;     /* enum image_origin */
	uint32_t flags;	     /* bits of enum image_process_flag */
	int32_t exit_status; /* as from waitpid() */
	uint32_t usage_first;
	uint32_t usage_count;
	uint32_t allocation_first;
	uint32_t allocation_count;
	/* IMAGE_TRACED: enum trace_fault; if it is not 0, there are no figures */
	uint32_t trace_fault;
	union {
		uint64_t misuse[TABLE_MISUSES];
		struct image_job job;
		struct image_claim claim;
	};
	uint64_t unlisted;     /* allocations without a slot */
	char name[IMAGE_NAME]; /* NUL-terminated; may contain control characters */
	uint64_t ignored;      /* IMAGE_LEGACY: number of ignored reports */
	uint64_t reserved2;
};

struct image_usage {
	uint32_t device; /* logical id in that process */
	uint32_t pool;	 /* enum pool */
	uint32_t known;	 /* bits of enum table_identity */
	uint32_t node;
	uint64_t bdf;
	uint64_t asic;
	uint64_t now_bytes;
	uint64_t peak_bytes;
	uint64_t allocs;
	uint64_t frees;
	uint64_t failures;
	uint64_t changed_ns; /* CLOCK_MONOTONIC; 0: unknown */
};

struct image_allocation {
	uint64_t id;
	uint64_t size;
	uint64_t time_ns; /* CLOCK_MONOTONIC; 0: unknown */
	uint32_t device;  /* logical id in that process */
	uint32_t pool;
};

/* When a card last showed work. */
struct image_device {
	uint32_t known; /* bits of enum table_identity */
	uint32_t node;
	uint64_t bdf;
	uint64_t asic;
	/* CLOCK_MONOTONIC, when its PCIe traffic last showed work, or since when none was seen */
	uint64_t worked_ns;
	uint64_t reserved;
};

static_assert(sizeof(struct image_header) == 128, "image header");
static_assert(sizeof(struct image_process) == 224, "image process");
static_assert(sizeof(struct image_usage) == 80, "image usage");
static_assert(sizeof(struct image_allocation) == 32, "image allocation");
static_assert(sizeof(struct image_device) == 40, "image device");

struct image_counts {
	uint32_t processes;
	uint32_t usages;
	uint32_t allocations;
	uint32_t devices;
};

/* Fills a block up to the counts given to image_begin(). */
struct image_writer {
	struct image_header *header;
	struct image_process *processes;
	struct image_usage *usages;
	struct image_allocation *allocations;
	struct image_counts room;
};

/* Size of an image with this many records. */
size_t image_size(const struct image_counts *counts);

/* The block has image_size() bytes, is zero-filled and aligned to 8. */
void image_begin(struct image_writer *writer, void *block, const struct image_counts *counts);

/*
 * Adds a record; those that follow belong to it. Its run members are set here. -ENOSPC if there are
 * more records than were counted: for usages and allocations the process is then marked as
 * incomplete, so the result may be ignored.
 */
MUST_CHECK int image_add_process(struct image_writer *writer, const struct image_process *process);
int image_add_usage(struct image_writer *writer, const struct image_usage *usage);
int image_add_allocation(struct image_writer *writer, const struct image_allocation *allocation);

/*
 * Ends the image: adds the devices, as many as were counted at most, directly after the
 * allocations, and sets its length. Nothing can be added afterwards.
 */
void image_end(struct image_writer *writer, const struct image_device *devices, uint32_t count);

/* A validated image. The buffer must outlive it and must not change. */
struct image_view {
	const struct image_header *header;
	const struct image_process *processes;
	const struct image_usage *usages;
	const struct image_allocation *allocations;
	const struct image_device *devices;
};

/*
 * Checks everything: offsets, runs, pools, origins, figures, names. -EBADMSG if anything is
 * invalid, -EPROTONOSUPPORT for another version, -EINVAL if misaligned.
 */
MUST_CHECK int image_view_init(struct image_view *ret, const void *data, size_t length);
