/*
 * What the kernel keeps of the processes that are followed: the values of the BPF maps.
 * Shared by the BPF programs and the tracer, so without the C library.
 *
 * A change of this file makes another BPF object, and a tracer with another object
 * takes nothing over: see load.h.
 */
#pragma once

#include "basic/trace_fault.h"
#include "metal/buffer_check.h"
#include "metal/hook.h"

enum {
	TRACE_CHIPS = 64,      /* logical ids that a process may have: a bit each */
	TRACE_COPIES = 4,      /* of TT-Metal in one process */
	TRACE_COMM = 16,       /* as the kernel has it */
	TRACE_LIBRARIES = 256, /* at one time */
	TRACE_LIBRARY_IDS = 4096,
	TRACE_PROCESSES = 8192,
	TRACE_THREADS = 65536,
	TRACE_ALLOCATORS = 65536,
	TRACE_DEVICES = 1024,
	TRACE_ROLES = 1024,
	TRACE_SLOTS = 32,   /* a power of two */
	TRACE_TOMBS = 4096, /* of a process, before they are taken away */
};

/* Field 22 of /proc/PID/stat counts in these. */
#define TRACE_NS_PER_TICK 10000000

/*
 * Flags of a process: bit N is enum trace_fault N. Bit 0, which is no fault: the process started
 * before its library was attached to, so its figures are lower bounds.
 */
#define TRACE_SINCE_ATTACH     (1U << TRACE_FAULT_NONE)
#define TRACE_FAULT_BIT(fault) (1U << (fault))

/* Counting continues with these flags, and stops with any other. */
#define TRACE_COUNTED (TRACE_SINCE_ATTACH | TRACE_FAULT_BIT(TRACE_FAULT_NO_ANSWER))

/* Hooks in one file. Its number is in the cookies of its probes; its place is number % LIBRARIES.
 */
struct trace_library {
	uint32_t id;	  /* never 0; an entry with another number is not this library */
	bool tracks;	  /* allocations are told by track_allocate, not by attempts */
	bool has_dry_run; /* else what is in its place means nothing */
	uint16_t buffer;  /* where struct trace_object begins in a Buffer */
	uint16_t chip;	  /* in a Device, 8 or 24 */
	uint8_t allocated_mask;
	uint64_t attached; /* ns since boot; UINT64_MAX until all probes are there */
	uint64_t hooks[METAL_HOOKS];
	uint64_t device_vtable, mesh_vtable;

	/* For the tracer only: which file it is. */
	uint64_t st_dev, st_ino;
	int64_t changed; /* ns, its mtime: ctime changes when a name of it is removed */
	uint8_t build_id[20];
	uint32_t build_id_length;
	uint32_t probes;
	char versions[32];
	char path[256]; /* as last seen, for people */
};

/*
 * A Buffer from its device on: the same in all versions that are known. Read at once,
 * since each read of a program's memory costs.
 */
struct trace_object {
	uint64_t device, size;
	uint32_t type;
	uint8_t layout[7];
	uint8_t owns_data;
	uint8_t others[20];
	uint64_t allocator;
	uint8_t status, dry_run;
	uint8_t padding[6];
	uint64_t address;
};

/* What a process holds on one chip. */
struct trace_chip {
	uint64_t bytes[METAL_TYPES];
	uint64_t buffers;
};

/* By tgid. What every call needs comes first, in one line of the cache. */
struct trace_process {
	uint64_t start;	   /* ticks since boot; 0 while the entry is being made */
	uint64_t start_ns; /* the same as the kernel has it; 0: not known yet */
	uint32_t flags;
	uint32_t has_threads;	       /* that were busy with something; 0: no need to look */
	uint64_t copies[TRACE_COPIES]; /* load bias | number of the library that tells of it */
	uint64_t chips;		       /* that it ever held something on */
	uint64_t entries;	       /* in the map of buffers, tombs included */
	uint64_t kept;		       /* of them, when its tombs were last taken away */
	uint64_t swept;		       /* tombs that were taken away */
	uint32_t held[TRACE_SLOTS];    /* buffers, by allocator: see account.h */
	char comm[TRACE_COMM];
	struct trace_chip chip[TRACE_CHIPS];
};

struct trace_key {
	uint32_t tgid;
	uint32_t zero;
	uint64_t pointer; /* to a Buffer or an allocator */
};

enum trace_buffer_flag {
	TRACE_BUFFER_MESH = 1 << 0, /* its device is a mesh: members add themselves to the chips */
	TRACE_BUFFER_TOMB = 1 << 1, /* freed; the next one at its place takes the entry over */
	TRACE_BUFFER_BUSY = 1 << 2, /* a tomb that somebody takes over, or away */
};

struct trace_buffer {
	uint64_t start; /* of the process, for tgids are used again */
	uint64_t size, allocator, device;
	uint64_t chips;
	uint32_t type : 8;
	uint32_t thread : 24; /* whose attempt it was, Linux has 2^22; 0: it was no attempt */
	uint32_t flags;
};

/* By thread: what it does just now. */
struct trace_thread {
	uint64_t stack;	  /* of the attempt; 0: none */
	uint64_t caller;  /* return address of the attempt */
	uint64_t attempt; /* Buffer */
	uint64_t mesh;	  /* Buffer that waits for its members; 0: none */
	uint64_t address; /* of its memory; 0: to be read */
	uint64_t members; /* that this thread was seen to make for it */
};

/* An allocator of a process that was there before the attach. */
struct trace_allocator {
	uint64_t bias;
	uint64_t device, chips; /* of its last mesh; chips also of others */
	uint32_t library;
	uint32_t read;	  /* back */
	uint64_t emptied; /* changes when all of it is freed at once, and is never the same again */
};

/* The sums of one reading of `allocations`, by session. */
struct trace_sums {
	uint64_t line; /* the last that is in `last`, not yet in `all` */
	struct trace_chip all, last;
};

/* What one reading of `holders` has of the process that it is at, by session. */
struct trace_listed {
	uint64_t line; /* the last that was printed */
	uint64_t devices[TRACE_DEVICES / 64];
	uint32_t tgid;
};

/* What the tracer found a process to hold devices for. */
enum trace_role_kind { TRACE_ROLE_JOB, TRACE_ROLE_MONITOR };

/* By tgid: of processes with the name of a monitor, until they execute another program. */
struct trace_role {
	uint64_t start; /* ticks since boot */
	uint32_t role;	/* enum trace_role_kind */
	uint32_t zero;
};

/* Of the whole: one entry. */
struct trace_state {
	uint64_t version; /* of the object */
	int64_t since;	  /* seconds since 1970 */
	uint32_t last_id; /* of a library */
	uint32_t multi;	  /* the hook program can be attached with one link */
	uint64_t share;	  /* of the table of buffers, for one process */
};
