/*
 * The values of the BPF maps. Included by the BPF programs and by the tracer, so it must not use
 * the C library.
 *
 * After a change of this file the BPF object is another one, and a tracer continues to use existing
 * pins only if they are of its own object: see trace/tracer.h.
 */
#pragma once

#include "basic/trace_fault.h"
#include "metal/buffer_check.h"
#include "metal/hook.h"

enum {
	TRACE_CHIPS = 64,      /* logical ids of a process: one bit each */
	TRACE_COPIES = 4,      /* copies of TT-Metal in one process */
	TRACE_COMM = 16,       /* TASK_COMM_LEN of the kernel */
	TRACE_LIBRARIES = 256, /* attached at one time */
	TRACE_LIBRARY_IDS = 4096,
	TRACE_PROCESSES = 8192,
	TRACE_THREADS = 65536,
	TRACE_ALLOCATORS = 65536,
	TRACE_VIEWS = 65536,
	TRACE_DEVICES = 1024,
	TRACE_ROLES = 1024,
	TRACE_SLOTS = 32,	 /* a power of two */
	TRACE_TOMBSTONES = 4096, /* that a process may have before they are removed */
};

/* The unit of field 22 of /proc/PID/stat. */
#define TRACE_NS_PER_TICK 10000000

/*
 * Flags of a process: bit N is enum trace_fault N. Bit 0 is not a fault: the process started before
 * its library got probes, so its figures are lower bounds.
 */
#define TRACE_SINCE_ATTACH     (1U << TRACE_FAULT_NONE)
#define TRACE_FAULT_BIT(fault) (1U << (fault))

/* Counting continues while only these flags are set. */
#define TRACE_COUNTED (TRACE_SINCE_ATTACH | TRACE_FAULT_BIT(TRACE_FAULT_NO_ANSWER))

/*
 * A library file with probes. The cookies of its probes contain its id; its index in the map is
 * id % TRACE_LIBRARIES.
 */
struct trace_library {
	uint32_t id;	  /* never 0; another id than expected: the entry was reused */
	bool tracks;	  /* allocations are counted at track_allocate, not at attempts */
	bool has_dry_run; /* false: the byte at its offset has no meaning */
	bool has_members; /* METAL_CREATE_AT is probed */
	uint16_t buffer;  /* offset of struct trace_object in a Buffer */
	uint16_t chip;	  /* offset in a Device, 8 or 24 */
	uint8_t allocated_mask;
	uint64_t attached; /* ns since boot; UINT64_MAX until all probes are attached */
	uint64_t followed; /* ns since boot: when counting of launches began; 0: not counted */
	uint64_t hooks[METAL_HOOKS];
	uint64_t device_vtable, mesh_vtable;

	/* For the tracer only: identifies the file. */
	uint64_t st_dev, st_ino;
	int64_t changed; /* mtime in ns; not ctime, which changes when a hard link is removed */
	uint8_t build_id[20];
	uint32_t build_id_length;
	uint32_t probes;
	char versions[32];
	char path[256]; /* as last seen, for messages */
};

/*
 * Per library: where a mesh has the pointer to its view. The hooks find the offset; it is used
 * after the views have given the same chips as the calls of METAL_CREATE_AT.
 */
struct trace_view_place {
	uint32_t id;	   /* of the library; another one: the entry is of an earlier library */
	uint32_t offset;   /* in what the mesh points to at METAL_MESH_IMPL; 0: not found yet */
	uint32_t matched;  /* buffers with the same chips */
	uint32_t differed; /* buffers with other chips, or of a mesh without a known view */
};

/* A MeshDeviceView: what a mesh consists of. */
struct trace_view {
	uint64_t created; /* ns since boot */
	uint64_t chips;	  /* 0: not understood */
};

/*
 * Part of a Buffer, from its member `device` on, whose layout is the same in all known versions. It
 * is read with one call, since each read of user memory costs time.
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

/* Key: tgid. Members that every call needs come first, in one cache line. */
struct trace_process {
	uint64_t start;	   /* ticks since boot; 0: the entry is incomplete */
	uint64_t start_ns; /* the same in ns, from the kernel; 0: unknown */
	uint32_t flags;
	/* 0: it has no entries in the map of threads, which need not be searched */
	uint32_t has_threads;
	uint64_t copies[TRACE_COPIES]; /* load bias | id of the library whose probes count */
	uint64_t chips;		       /* chips on which it ever held memory: one bit each */
	uint64_t entries;	       /* in the map of buffers, including tombstones */
	uint64_t kept;		       /* entries after its tombstones were last removed */
	uint64_t swept;		       /* tombstones that were removed */
	uint64_t has_views;	       /* 0: it has no entries in the map of views */
	uint32_t held[TRACE_SLOTS];    /* number of buffers by allocator: see account.h */
	char comm[TRACE_COMM];
	struct trace_chip chip[TRACE_CHIPS];
};

struct trace_key {
	uint32_t tgid;
	uint32_t zero;
	uint64_t pointer; /* to a Buffer or an allocator */
};

enum trace_buffer_flag {
	TRACE_BUFFER_MESH = 1 << 0,	 /* its device is a mesh: each member adds its chip */
	TRACE_BUFFER_TOMBSTONE = 1 << 1, /* freed; the next buffer at this address reuses it */
	TRACE_BUFFER_BUSY = 1 << 2,	 /* tombstone that a thread is reusing or deleting */
};

struct trace_buffer {
	uint64_t start; /* of the process, since pids are reused */
	uint64_t size, allocator, device;
	uint64_t chips;
	uint32_t type : 8;
	uint32_t thread : 24; /* tid that made the attempt (below 2^22); 0: not an attempt */
	uint32_t flags;
};

/* Key: thread. The allocation attempt or mesh buffer that it is working on. */
struct trace_thread {
	uint64_t stack;	   /* stack pointer of the attempt; 0: none */
	uint64_t caller;   /* return address of the attempt */
	uint64_t attempt;  /* address of its Buffer */
	uint64_t mesh;	   /* Buffer whose members follow; 0: none */
	uint64_t address;  /* of its memory; 0: not read yet */
	uint64_t members;  /* number of members that this thread has made */
	uint64_t expected; /* chips of the view of its mesh; 0: not known */
};

/* An allocator of a process that started before the attach. */
struct trace_allocator {
	uint64_t bias;
	uint64_t device, chips; /* of its last mesh; chips of earlier ones too */
	uint32_t library;
	uint32_t read;	  /* 1: its buffers were read back */
	uint64_t emptied; /* ns, when all of it was last freed at once */
};

/* Key: session of the BPF iterator. The sums of one reading of `allocations`. */
struct trace_sums {
	uint64_t line; /* number of the line that `last` is for, not yet part of `all` */
	struct trace_chip all, last;
};

/*
 * Key: session of the BPF iterator. The devices that one reading of `holders` has printed for the
 * current process.
 */
struct trace_listed {
	uint64_t line; /* the last that was printed */
	uint64_t devices[TRACE_DEVICES / 64];
	uint32_t tgid;
};

/* The role of a process that holds devices, determined by the tracer. */
enum trace_role_kind { TRACE_ROLE_JOB, TRACE_ROLE_MONITOR };

/* Key: tgid. Processes with the name of a monitor, until they call execve(). */
struct trace_role {
	uint64_t start; /* ticks since boot */
	uint32_t role;	/* enum trace_role_kind */
	uint32_t zero;
};

/* Key: device number. A device node, and since when processes that hold it are observed. */
struct trace_device {
	uint32_t index; /* N of /dev/tenstorrent/N */
	uint32_t zero;
	uint64_t since; /* ns since boot */
};

/*
 * Key: device number. The last job that died abruptly (basic/abrupt_signal.h) while it held the
 * device.
 */
struct trace_death {
	uint64_t start; /* ticks since boot */
	uint64_t ended; /* ns since boot */
	uint32_t tgid;
	uint32_t signal;
	char comm[TRACE_COMM];
};

/* The descriptors of a dying process that are searched for devices, in groups. */
enum { TRACE_FD_GROUPS = 1024, TRACE_FD_GROUP = 64 };

/* A map of one entry: state of the whole object. */
struct trace_state {
	uint64_t version; /* of the object */
	int64_t since;	  /* seconds since 1970 */
	uint32_t last_id; /* of a library */
	uint32_t multi;	  /* the hook program is loaded for multi-uprobe links */
	uint64_t share;	  /* maximum entries of one process in the map of buffers */
};
