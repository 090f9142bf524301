/*
 * libttalloc: lets a program say which memory of a Tenstorrent card it holds.
 *
 * The driver does not know what a program allocates on a card. A program that
 * calls these functions publishes it in a block of shared memory, where tt_smi
 * and tt_allocd read it. There is nothing to set up and nothing to close: the
 * first report makes the table, the end of the process removes it.
 *
 *	ttalloc_report_alloc(0, TTALLOC_DRAM, address, size);
 *	...
 *	ttalloc_report_free(0, TTALLOC_DRAM, address);
 *
 * Rules for all functions, unless they say otherwise:
 *
 *  - They may be called from any thread at any time, but not from a signal
 *    handler. After fork() the child has a table of its own, which is empty: it
 *    reports what it allocates itself.
 *  - They never print, never end or signal the process, never wait for another
 *    process, and leave errno alone. A report costs some tens of nanoseconds
 *    and no system call; about once a second one of them takes some
 *    microseconds more to look for the server. A server is not needed.
 *  - They return 0 or a negative errno. A program may ignore it: a report that
 *    makes no sense is counted (see enum ttalloc_misuse) and does no harm.
 *  - With TT_ALLOC_TRACKING_ENABLED=0 in the environment, or where no table can
 *    be made (no memfd, no memory), reports do nothing and return 0.
 *
 * Environment: TT_ALLOC_TRACKING_ENABLED; TT_VISIBLE_DEVICES, as for TT-Metal;
 * TT_ALLOCD_SOCKET, where the server listens if not in the usual place; TT_SMI_ROOT, where
 * /dev and /sys are looked for, for tests.
 */
#ifndef TTALLOC_H
#define TTALLOC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TTALLOC_API __attribute__((visibility("default")))
#else
#define TTALLOC_API
#endif

/* Kinds of memory, numbered as TT-Metal numbers its buffer types. */
enum ttalloc_pool {
	TTALLOC_DRAM = 0,
	TTALLOC_L1 = 1,
	TTALLOC_SYSTEM = 2, /* host memory used by a device */
	TTALLOC_L1_SMALL = 3,
	TTALLOC_TRACE = 4,
	TTALLOC_CB = 5,	   /* circular buffers */
	TTALLOC_KERNEL = 6 /* kernel binaries */
};

/* Reports that could not be taken as they were. The numbers are stable; new ones come last. */
enum ttalloc_misuse {
	TTALLOC_DOUBLE_FREE = 0,    /* freed again shortly after it was freed: ignored */
	TTALLOC_UNKNOWN_FREE = 1,   /* freed, but not held: ignored */
	TTALLOC_DUPLICATE = 2,	    /* allocated while held: the new size replaced the old */
	TTALLOC_ZERO_SIZE = 3,	    /* ignored */
	TTALLOC_OVERFLOW = 4,	    /* more than 2^50 bytes in one pool: ignored */
	TTALLOC_UNKNOWN_DEVICE = 5, /* device above 63: ignored */
	TTALLOC_UNKNOWN_POOL = 6,   /* ignored */
	TTALLOC_UNLISTED = 7,	    /* table full: in the totals, but not listed singly */
	TTALLOC_LOST = 8	    /* no memory to keep it in mind: ignored, totals too low */
};

/* What becomes of the reports. */
enum ttalloc_state {
	TTALLOC_OFF = 0,	 /* turned off by the environment */
	TTALLOC_UNAVAILABLE = 1, /* no table could be made */
	TTALLOC_LOCAL = 2,	 /* published; no server has it */
	TTALLOC_CONNECTED = 3	 /* published and handed to a server */
};

/* What one pool of one device holds. */
struct ttalloc_usage {
	uint64_t now_bytes;
	uint64_t peak_bytes;
	uint64_t allocs; /* allocs - frees allocations are held */
	uint64_t frees;
	uint64_t failures;
};

/*
 * Reports an allocation of size bytes. The device is the program's own (logical)
 * number of it, 0 to 63. The id is an address or any number that no other live
 * allocation of the same device and pool has.
 *
 * -EEXIST: there is one. Its free was missed, then, and the new one replaces it.
 * -EINVAL: size 0, or no such pool. -ENODEV: no such device. -EOVERFLOW: more
 * than a card can have. -ENOSPC: cannot keep it in mind.
 */
TTALLOC_API int ttalloc_report_alloc(unsigned device, enum ttalloc_pool pool, uint64_t id,
				     uint64_t size);

/* Reports that it was freed. -ENOENT: not known to be held. -EINVAL, -ENODEV: as above. */
TTALLOC_API int ttalloc_report_free(unsigned device, enum ttalloc_pool pool, uint64_t id);

/* Reports that the device had no room for an allocation. -EINVAL, -ENODEV: as above. */
TTALLOC_API int ttalloc_report_failure(unsigned device, enum ttalloc_pool pool);

/*
 * Says which card a device number means: N of /dev/tenstorrent/N, a PCI address
 * like "0000:01:00.0", or the chip's ASIC id. They may be combined. Without any, devices
 * are numbered as by TT-Metal: by PCI address, among the cards that TT_VISIBLE_DEVICES selects.
 *
 * -ENODEV: device above 63. -EINVAL: not a node number or PCI address.
 */
TTALLOC_API int ttalloc_bind_node(unsigned device, unsigned node);
TTALLOC_API int ttalloc_bind_bdf(unsigned device, const char *bdf);
TTALLOC_API int ttalloc_bind_asic(unsigned device, uint64_t asic);

/*
 * Names the program, for lists in which ten programs are called python3. The
 * text is copied and cut to 63 bytes. -EINVAL: NULL.
 */
TTALLOC_API int ttalloc_set_program(const char *name);

/*
 * Looks for the server now, if the last look is at least a second ago. Reports do this by
 * themselves; a program that is silent for long may call it from time to time
 * so that a server that was restarted hears from it soon.
 */
TTALLOC_API void ttalloc_poll(void);

TTALLOC_API enum ttalloc_state ttalloc_get_state(void);

/*
 * What this process reported so far. At most size bytes are written, so that
 * the struct may grow: pass sizeof(*usage). -EINVAL: no such pool.
 * -ENODEV: device above 63. All zero while tracking is off.
 */
TTALLOC_API int ttalloc_get_usage(unsigned device, enum ttalloc_pool pool,
				  struct ttalloc_usage *usage, size_t size);

/* How often this kind of misuse happened; 0 for a kind that does not exist. */
TTALLOC_API uint64_t ttalloc_get_misuse(enum ttalloc_misuse kind);

/* "MAJOR.MINOR.PATCH" of the library. */
TTALLOC_API const char *ttalloc_version(void);

#ifdef __cplusplus
}
#endif

#endif
