/*
 * The table in which a process publishes its allocations: layout and reader.
 *
 * docs/shared-memory.md describes this layout; it must be changed together with this file, and
 * TABLE_VERSION with both.
 *
 * The table is a memfd, written by one process and mapped by any number of readers, which take no
 * lock. Everything that changes is either a single 64-bit word or a seqlock (basic/seqlock.h): a
 * sequence number and four copies, of which the newest complete one stays intact whatever happens
 * to the writer. So a reader gets the last complete state of a process that was killed or stopped
 * between any two instructions.
 *
 * The reader trusts nothing. It loads each word once, into private memory, and checks it there; no
 * number in the table can make it read outside of the buffer, loop for longer than that buffer, or
 * report inconsistent figures.
 */
#pragma once

#include "basic/macros.h"
#include "basic/seqlock.h"
#include "model/pool.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TABLE_MAGIC   UINT64_C(0x31434f4c4c415454) /* "TTALLOC1" on a little-endian machine */
#define TABLE_VERSION 1u

/* The name for memfd_create(); /proc/PID/fd shows TABLE_LINK. */
#define TABLE_NAME "ttalloc"
#define TABLE_LINK "/memfd:" TABLE_NAME " (deleted)"

#define TABLE_DEVICES	  64u /* logical device ids 0 to 63 */
#define TABLE_COPIES	  SEQLOCK_COPIES
#define TABLE_PROGRAM_MAX 64u	     /* size of the program's name, including the NUL */
#define TABLE_SLOTS_MAX	  (1u << 20) /* maximum slots of a table: 32 MiB */
#define TABLE_NODE_MAX	  0xfffffu   /* minors have 20 bits */

/*
 * Maximum bytes in one pool of one device: 1 PiB, far more than any card has, and small enough that
 * the sum over 8192 processes cannot overflow.
 */
#define TABLE_BYTES_MAX (UINT64_C(1) << 50)

/* Invalid reports, each kind with a counter. */
enum table_misuse {
	TABLE_DOUBLE_FREE = 0,	  /* freed again, soon after it was freed */
	TABLE_UNKNOWN_FREE = 1,	  /* freed, but not known to be allocated */
	TABLE_DUPLICATE = 2,	  /* allocated while held: the new size replaces the old one */
	TABLE_ZERO_SIZE = 3,	  /* ignored */
	TABLE_OVERFLOW = 4,	  /* the pool would exceed TABLE_BYTES_MAX: ignored */
	TABLE_UNKNOWN_DEVICE = 5, /* logical id above 63: ignored */
	TABLE_UNKNOWN_POOL = 6,	  /* ignored */
	TABLE_UNLISTED = 7,	  /* no slot left: included in the totals, not in the list */
	TABLE_LOST = 8,		  /* out of memory: not even included in the totals */
	TABLE_MISUSES,
};

/* Bits of table_device.known. */
enum table_identity {
	TABLE_HAS_NODE = 1 << 0,
	TABLE_HAS_BDF = 1 << 1,
	TABLE_HAS_ASIC = 1 << 2,
	/* stated by the program; otherwise TT-Metal's usual order is assumed */
	TABLE_STATED = 1 << 3,
	/* only in images, without other bits: the chip without PCIe behind the node */
	TABLE_BEHIND = 1 << 4,
};

/* Bits of table_header.flags. */
enum table_flag {
	TABLE_PRELOAD = 1 << 0, /* written by libttalloc-preload.so, not by the program itself */
};

/* ---- layout: nothing below this line changes without a new TABLE_VERSION ---- */

/* Words of the groups under seqlocks, in order. */
enum table_pool_word {
	TABLE_NOW,    /* bytes held */
	TABLE_PEAK,   /* maximum bytes held so far */
	TABLE_ALLOCS, /* allocations so far; minus frees: number currently held */
	TABLE_FREES,
	TABLE_FAILURES, /* failed allocations */
	TABLE_CHANGED,	/* CLOCK_MONOTONIC ns of the last allocation or free */
	TABLE_POOL_WORDS,
};

enum table_device_word {
	TABLE_KNOWN, /* bits of enum table_identity */
	TABLE_NODE,  /* N of /dev/tenstorrent/N */
	TABLE_BDF,   /* domain << 16 | bus << 8 | device << 3 | function */
	TABLE_ASIC,  /* tt_asic_id of the driver */
	TABLE_DEVICE_WORDS,
};

#define TABLE_PROGRAM_WORDS (TABLE_PROGRAM_MAX / 8)

struct table_slot {
	/*
	 * Bits 0-31: generation, incremented by each change; odd while the slot holds an
	 * allocation. 32-47: logical device. 48-55: pool. 56-63: 0.
	 */
	uint64_t meta;
	uint64_t id;   /* address or number, unique per device and pool */
	uint64_t size; /* bytes */
	uint64_t time; /* CLOCK_MONOTONIC ns of the allocation */
};

static inline uint32_t slot_device(uint64_t meta)
{
	return meta >> 32 & 0xffff;
}

static inline uint32_t slot_pool(uint64_t meta)
{
	return meta >> 48 & 0xff;
}

struct table_pool_cell {
	uint64_t seq;
	uint64_t reserved[7];
	uint64_t copy[TABLE_COPIES][TABLE_POOL_WORDS];
};

struct table_device_cell {
	uint64_t seq;
	uint64_t reserved[15];
	uint64_t copy[TABLE_COPIES][TABLE_DEVICE_WORDS];
	struct table_pool_cell pool[POOL_COUNT];
};

struct table_header {
	/* Written once, before the magic. */
	uint64_t magic;
	uint32_t version;
	uint32_t header_size;	/* sizeof(struct table_header) */
	uint32_t device_size;	/* sizeof(struct table_device_cell) */
	uint32_t device_count;	/* TABLE_DEVICES */
	uint32_t pool_count;	/* POOL_COUNT */
	uint32_t slot_size;	/* sizeof(struct table_slot) */
	uint64_t slot_offset;	/* TABLE_SLOT_OFFSET */
	uint64_t slot_capacity; /* slots that fit into the file */
	uint64_t pid;		/* of the writer, in its own pid namespace */
	uint64_t start_ticks;	/* field 22 of its /proc/PID/stat; 0 if it could not be read */
	uint64_t created;	/* CLOCK_MONOTONIC ns */
	uint64_t flags;		/* bits of enum table_flag */
	uint64_t reserved0[6];

	/* Single words, changed by the writer at any time. */
	uint64_t devices;    /* bit per logical device that was ever reported */
	uint64_t slots_used; /* slots at and above this index were never used; only increases */
	uint64_t unlisted;   /* held allocations without a slot */
	uint64_t reserved1[5];
	uint64_t misuse[16]; /* by enum table_misuse */

	/* The program's name: NUL-terminated, at most 63 bytes. */
	uint64_t program_seq;
	uint64_t reserved2[7];
	uint64_t program[TABLE_COPIES][TABLE_PROGRAM_WORDS];

	uint8_t reserved3[3456];
};

#define TABLE_DEVICE_OFFSET sizeof(struct table_header)
#define TABLE_SLOT_OFFSET   (TABLE_DEVICE_OFFSET + TABLE_DEVICES * sizeof(struct table_device_cell))

static_assert(sizeof(struct table_slot) == 32, "slot");
static_assert(sizeof(struct table_pool_cell) == 256, "pool cell");
static_assert(sizeof(struct table_device_cell) == 2048, "device cell");
static_assert(sizeof(struct table_header) == 4096, "header");
static_assert(offsetof(struct table_header, devices) == 128, "words that change");
static_assert(offsetof(struct table_header, misuse) == 192, "misuse");
static_assert(offsetof(struct table_header, program_seq) == 320, "program");
static_assert(offsetof(struct table_header, program) == 384, "program copies");
static_assert(offsetof(struct table_device_cell, pool) == 256, "pools");
static_assert(TABLE_SLOT_OFFSET == 135168, "slots");

/* Sets what is the same in all tables of this version. The magic is written last. */
static inline void table_header_lay_out(struct table_header *header, uint64_t slot_capacity)
{
	header->version = TABLE_VERSION;
	header->header_size = sizeof(struct table_header);
	header->device_size = sizeof(struct table_device_cell);
	header->device_count = TABLE_DEVICES;
	header->pool_count = POOL_COUNT;
	header->slot_size = sizeof(struct table_slot);
	header->slot_offset = TABLE_SLOT_OFFSET;
	header->slot_capacity = slot_capacity;
}

/* ---- the reader ---- */

/* A table that may change while it is read. The buffer must outlive it. */
struct table_view {
	const struct table_header *header;
	const struct table_device_cell *devices;
	const struct table_slot *slots;
	uint64_t slot_room; /* slots inside the buffer */
	/* Read once, when the view is created. */
	uint64_t slot_capacity;
	uint64_t pid;
	uint64_t start_ticks;
	uint64_t created_ns;
	uint64_t flags; /* bits of enum table_flag, and unknown ones */
};

struct table_pool_total {
	uint64_t now_bytes;
	uint64_t peak_bytes;
	uint64_t allocs;
	uint64_t frees; /* allocs - frees allocations are held */
	uint64_t failures;
	uint64_t changed_ns;
};

struct table_device {
	uint32_t known; /* bits of enum table_identity */
	uint32_t node;
	uint64_t bdf; /* as TABLE_BDF */
	uint64_t asic;
};

struct table_allocation {
	uint64_t id;
	uint64_t size;
	uint64_t time_ns;
	uint32_t device;
	enum pool pool;
};

/* Position in the list of allocations. Initialize with zeros. */
struct table_cursor {
	uint64_t next;
	uint64_t changing; /* slots that changed during every attempt to read them */
	uint64_t invalid;  /* slots with invalid contents */
};

/*
 * Creates a view of a buffer, mapped or copied, aligned to 8 bytes. -EAGAIN: not written yet.
 * -EPROTONOSUPPORT: another version. -EBADMSG: not a table. -EINVAL: misaligned.
 */
MUST_CHECK int table_view_init(struct table_view *ret, const void *data, size_t length);

/* Logical devices that were ever reported, one bit each. */
uint64_t table_devices(const struct table_view *view);

/*
 * Reads one consistent group of figures. The device is below TABLE_DEVICES. -EAGAIN if the writer
 * changed it faster than it could be read (the figure is then unknown), -EBADMSG if it is
 * inconsistent.
 */
MUST_CHECK int table_read_pool(const struct table_view *view, uint32_t device, enum pool pool,
			       struct table_pool_total *ret);
MUST_CHECK int table_read_device(const struct table_view *view, uint32_t device,
				 struct table_device *ret);

/* The program's name, "" if it set none. It may contain any bytes except NUL. */
MUST_CHECK int table_read_program(const struct table_view *view, char ret[TABLE_PROGRAM_MAX]);

uint64_t table_misuse_count(const struct table_view *view, enum table_misuse kind);

/*
 * The next current allocation; false at the end. The list is not a consistent snapshot: an
 * allocation made or freed meanwhile may be missing or included.
 */
bool table_next(const struct table_view *view, struct table_cursor *cursor,
		struct table_allocation *ret);

/* False if allocations are missing because the table has no slots left or the buffer is short. */
bool table_list_is_complete(const struct table_view *view);
