/*
 * The values of the BPF maps. Shared by the BPF programs and the tracer, so without the C library.
 *
 * A change of this file makes another BPF object, and a tracer takes over the pins of its own
 * object only: see trace/tracer.h.
 */
#pragma once

#include "basic/trace_fault.h"
#include "metal/buffer_check.h"
#include "metal/hook.h"

enum {
	TRACE_CHIPS = 64,      /* logical ids of a process: a bit each */
	TRACE_COPIES = 4,      /* of TT-Metal in one process */
	TRACE_COMM = 16,       /* TASK_COMM_LEN of the kernel */
	TRACE_LIBRARIES = 256, /* attached at one time */
	TRACE_LIBRARY_IDS = 4096,
	TRACE_PROCESSES = 8192,
	TRACE_THREADS = 65536,
	TRACE_ALLOCATORS = 65536,
	TRACE_DEVICES = 1024,
	TRACE_ROLES = 1024,
	TRACE_SLOTS = 32,	 /* a power of two */
	TRACE_TOMBSTONES = 4096, /* of a process, before they are removed */
};

/* The unit of field 22 of /proc/PID/stat. */
#define TRACE_NS_PER_TICK 10000000

/*
 * Flags of a process: bit N is enum trace_fault N. Bit 0, which is no fault: the process started
 * before its library was attached to, so its figures are lower bounds.
 */
#define TRACE_SINCE_ATTACH     (1U << TRACE_FAULT_NONE)
#define TRACE_FAULT_BIT(fault) (1U << (fault))

/* Counting continues with these flags, and stops with any other. */
#define TRACE_COUNTED (TRACE_SINCE_ATTACH | TRACE_FAULT_BIT(TRACE_FAULT_NO_ANSWER))

/* The hooks in one file. The cookies of its probes have its id; its index is id % LIBRARIES. */
struct trace_library {
	uint32_t id;	  /* never 0; an entry with another id is another library */
	bool tracks;	  /* allocations are counted at track_allocate, not at attempts */
	bool has_dry_run; /* false: the byte at its offset has no meaning */
	uint16_t buffer;  /* offset of struct trace_object in a Buffer */
	uint16_t chip;	  /* offset in a Device, 8 or 24 */
	uint8_t allocated_mask;
	uint64_t attached; /* ns since boot; UINT64_MAX until all probes are attached */
	uint64_t hooks[METAL_HOOKS];
	uint64_t device_vtable, mesh_vtable;

	/* For the tracer only: identifies the file. */
	uint64_t st_dev, st_ino;
	int64_t changed; /* ns, its mtime: ctime changes when a name of it is removed */
	uint8_t build_id[20];
	uint32_t build_id_length;
	uint32_t probes;
	char versions[32];
	char path[256]; /* as last seen, for messages */
};

/*
 * A Buffer from its member `device` on: the same in all known versions. It is read at once, since
 * each read of user memory costs time.
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

/* Memory of a process on one chip. */
struct trace_chip {
	uint64_t bytes[METAL_TYPES];
	uint64_t buffers;
};

/* By tgid. Members that every call needs come first, in one cache line. */
struct trace_process {
	uint64_t start;	   /* ticks since boot; 0: the entry is incomplete */
	uint64_t start_ns; /* the same in ns, as the kernel has it; 0: not known yet */
	uint32_t flags;
	uint32_t has_threads; /* it has entries in the map of threads; 0: no need to look there */
	uint64_t copies[TRACE_COPIES]; /* load bias | id of the library that reports for it */
	uint64_t chips;		       /* on which it ever held memory: a bit each */
	uint64_t entries;	       /* in the map of buffers, with tombstones */
	uint64_t kept;		       /* entries after its tombstones were last removed */
	uint64_t swept;		       /* tombstones that were removed */
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
	TRACE_BUFFER_MESH = 1 << 0, /* its device is a mesh: each member adds its chip */
	TRACE_BUFFER_TOMBSTONE = 1
				 << 1, /* freed; the next buffer at its address reuses the entry */
	TRACE_BUFFER_BUSY = 1 << 2,    /* a tombstone that a thread reuses or deletes now */
};

struct trace_buffer {
	uint64_t start; /* of the process, since pids are reused */
	uint64_t size, allocator, device;
	uint64_t chips;
	uint32_t type : 8;
	uint32_t thread : 24; /* tid that made the attempt (below 2^22); 0: not an attempt */
	uint32_t flags;
};

/* By thread: the attempt or mesh buffer that it is busy with. */
struct trace_thread {
	uint64_t stack;	  /* of the attempt; 0: none */
	uint64_t caller;  /* return address of the attempt */
	uint64_t attempt; /* Buffer */
	uint64_t mesh;	  /* Buffer whose members follow; 0: none */
	uint64_t address; /* of its memory; 0: not read yet */
	uint64_t members; /* that this thread has made for it */
};

/* An allocator of a process that started before the attach. */
struct trace_allocator {
	uint64_t bias;
	uint64_t device, chips; /* of its last mesh; chips also of others */
	uint32_t library;
	uint32_t read;	  /* 1: its buffers were read back */
	uint64_t emptied; /* ns of the last time when all of it was freed at once */
};

/* The sums of one reading of `allocations`, by session. */
struct trace_sums {
	uint64_t line; /* the number of the line that `last` is for; `all` lacks it yet */
	struct trace_chip all, last;
};

/* By session: the devices that one reading of `holders` has listed for its current process. */
struct trace_listed {
	uint64_t line; /* the last that was printed */
	uint64_t devices[TRACE_DEVICES / 64];
	uint32_t tgid;
};

/* Why a process holds devices, as the tracer judged it. */
enum trace_role_kind { TRACE_ROLE_JOB, TRACE_ROLE_MONITOR };

/* By tgid: processes with the name of a monitor, until they call execve(). */
struct trace_role {
	uint64_t start; /* ticks since boot */
	uint32_t role;	/* enum trace_role_kind */
	uint32_t zero;
};

/* One entry, for the whole object. */
struct trace_state {
	uint64_t version; /* of the object */
	int64_t since;	  /* seconds since 1970 */
	uint32_t last_id; /* of a library */
	uint32_t multi;	  /* the hook program is loaded for multi-uprobe links */
	uint64_t share;	  /* entries of the map of buffers that one process may have */
};
