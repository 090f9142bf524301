/*
 * What tt_allocd knows at one instant, as one flat block: the answer to WIRE_SNAPSHOT.
 *
 *	header | processes | usages | allocations
 *
 * Records have a fixed size and refer to each other by index. Each process owns
 * a run of usages (one per device and pool it ever touched) and a run of
 * allocations. Living processes come first, then finished ones, oldest first.
 *
 * The server counts, takes a block of image_size(), and fills it in place with
 * one call per record, in the order processes, usages of the process,
 * allocations of the process. A reader has a private copy, so it validates
 * it once and then uses it as it is.
 *
 * docs/shared-memory.md describes it in prose and changes together with this.
 */
#pragma once

#include "basic/macros.h"
#include "proto/table.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define IMAGE_MAGIC   UINT64_C(0x314547414d495454) /* "TTIMAGE1" on a little-endian machine */
#define IMAGE_VERSION 1u
#define IMAGE_NAME    64u /* bytes of a name, NUL included */

/* Where the figures of a process come from, best first. */
enum image_origin {
	IMAGE_TABLE = 1,  /* its own table */
	IMAGE_LEGACY = 2, /* the legacy protocol */
	IMAGE_TRACED = 3, /* seen by probes */
	IMAGE_METAL = 4,  /* TT-Metal's counters, read on behalf of the asker */
	IMAGE_ORIGINS,
};

enum image_process_flag {
	IMAGE_FINISHED = 1 << 0,    /* ended_ns is set; usages hold its last values */
	IMAGE_EXIT_KNOWN = 1 << 1,  /* exit_status is set */
	IMAGE_LIST_HIDDEN = 1 << 2, /* allocations exist, but not for this asker or not asked for */
	IMAGE_LIST_CUT = 1 << 3,    /* the list of allocations is not complete */
	IMAGE_TOTALS_LOW = 1 << 4,  /* not everything was seen: totals are at least this */
	IMAGE_INCONSISTENT = 1 << 5, /* some figures contradicted each other and were left out */
	IMAGE_PRELOAD = 1 << 6,	     /* IMAGE_TABLE: not its own, the preloaded library's */
	IMAGE_ROLE = 1 << 7,	     /* no figures: tells what the process holds devices for */
	IMAGE_MONITOR = 1 << 8,	     /* IMAGE_ROLE: to monitor them; else it is a job */
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
	uint32_t flags; /* 0 */
	uint64_t process_offset;
	uint64_t usage_offset;
	uint64_t allocation_offset;
	uint32_t process_count;
	uint32_t usage_count;
	uint32_t allocation_count;
	uint32_t finished_total; /* processes that ever finished, also those forgotten */
	uint64_t reserved[4];
};

struct image_process {
	uint32_t pid; /* in the server's pid namespace */
	uint32_t uid;
	uint64_t start_ticks; /* field 22 of /proc/PID/stat; with pid the identity */
	uint64_t start_ns;    /* CLOCK_REALTIME; 0 unknown */
	uint64_t ended_ns;    /* CLOCK_REALTIME; 0 while it lives */
	uint32_t origin;      /* enum image_origin */
	uint32_t flags;	      /* bits of enum image_process_flag */
	int32_t exit_status;  /* as waitpid() gives it */
	uint32_t usage_first;
	uint32_t usage_count;
	uint32_t allocation_first;
	uint32_t allocation_count;
	uint32_t trace_fault; /* IMAGE_TRACED: enum trace_fault; if not 0, there are no figures */
	uint64_t misuse[TABLE_MISUSES];
	uint64_t unlisted;     /* allocations held that have no slot */
	char name[IMAGE_NAME]; /* NUL-terminated; clean before showing */
	uint64_t ignored;      /* IMAGE_LEGACY: reports that could not be accounted for */
	uint64_t reserved2;
};

struct image_usage {
	uint32_t device; /* logical id of that process */
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
	uint64_t changed_ns; /* CLOCK_MONOTONIC; 0 unknown */
};

struct image_allocation {
	uint64_t id;
	uint64_t size;
	uint64_t time_ns; /* CLOCK_MONOTONIC; 0 unknown */
	uint32_t device;  /* logical id of that process */
	uint32_t pool;
};

static_assert(sizeof(struct image_header) == 128, "image header");
static_assert(sizeof(struct image_process) == 224, "image process");
static_assert(sizeof(struct image_usage) == 80, "image usage");
static_assert(sizeof(struct image_allocation) == 32, "image allocation");

struct image_counts {
	uint32_t processes;
	uint32_t usages;
	uint32_t allocations;
};

/* Fills a block. The limits are those image_size() was asked for. */
struct image_writer {
	struct image_header *header;
	struct image_process *processes;
	struct image_usage *usages;
	struct image_allocation *allocations;
	struct image_counts room;
};

/* Bytes that so many records take. */
size_t image_size(const struct image_counts *counts);

/* The block has image_size() bytes, is zero-filled and aligned to 8. */
void image_begin(struct image_writer *writer, void *block, const struct image_counts *counts);

/*
 * Adds a record; those that follow belong to it. Its run members are set here.
 * -ENOSPC if more records come than were counted: for usages and allocations
 * the process is then marked as incomplete, so the answer may be ignored.
 */
MUST_CHECK int image_add_process(struct image_writer *writer, const struct image_process *process);
int image_add_usage(struct image_writer *writer, const struct image_usage *usage);
int image_add_allocation(struct image_writer *writer, const struct image_allocation *allocation);

/* A validated image. The buffer must outlive it, and must not change any more. */
struct image_view {
	const struct image_header *header;
	const struct image_process *processes;
	const struct image_usage *usages;
	const struct image_allocation *allocations;
};

/*
 * Checks everything: offsets, runs, pools, origins, figures, names. -EBADMSG if
 * anything is wrong, -EPROTONOSUPPORT for another version, -EINVAL misaligned.
 */
MUST_CHECK int image_view_init(struct image_view *ret, const void *data, size_t length);
