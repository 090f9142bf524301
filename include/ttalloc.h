/*
 * libttalloc: lets a program report its memory on Tenstorrent cards.
 *
 * The driver does not know what a program allocates on a card. A program that
 * calls these functions publishes it in a block of shared memory, where tt_smi
 * and tt_allocd read it. No setup and no cleanup is needed: the
 * first report creates the table, the end of the process removes it.
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
 *  - They return 0 or a negative errno. A program may ignore it: an invalid
 *    report is counted (see enum ttalloc_misuse) and does no harm.
 *  - With TT_ALLOC_TRACKING_ENABLED=0 in the environment, or if no table can
 *    be created (no memfd, no memory), reports do nothing and return 0.
 *
 * Environment: TT_ALLOC_TRACKING_ENABLED; TT_VISIBLE_DEVICES, as for TT-Metal;
 * TT_ALLOCD_SOCKET, the path of the server's socket if it is not the default; TT_SMI_ROOT, the
 * directory that contains /dev and /sys, for tests.
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

/* Kinds of invalid reports. The numbers are stable; new ones are added at the end. */
enum ttalloc_misuse {
	TTALLOC_DOUBLE_FREE = 0,    /* freed again shortly after it was freed: ignored */
	TTALLOC_UNKNOWN_FREE = 1,   /* freed, but not allocated: ignored */
	TTALLOC_DUPLICATE = 2,	    /* allocated while held: the new size replaced the old */
	TTALLOC_ZERO_SIZE = 3,	    /* ignored */
	TTALLOC_OVERFLOW = 4,	    /* more than 2^50 bytes in one pool: ignored */
	TTALLOC_UNKNOWN_DEVICE = 5, /* device above 63: ignored */
	TTALLOC_UNKNOWN_POOL = 6,   /* ignored */
	TTALLOC_UNLISTED = 7,	    /* table full: in the totals, but not listed singly */
	TTALLOC_LOST = 8	    /* out of memory: ignored, totals too low */
};

/* Where reports go. */
enum ttalloc_state {
	TTALLOC_OFF = 0,	 /* disabled by the environment */
	TTALLOC_UNAVAILABLE = 1, /* no table could be made */
	TTALLOC_LOCAL = 2,	 /* published; no server has it */
	TTALLOC_CONNECTED = 3	 /* published and handed to a server */
};

/* Usage of one pool of one device. */
struct ttalloc_usage {
	uint64_t now_bytes;
	uint64_t peak_bytes;
	uint64_t allocs; /* allocs - frees allocations are held */
	uint64_t frees;
	uint64_t failures;
};

/*
 * Reports an allocation of size bytes. The device is the program's own (logical)
 * number, 0 to 63. The id is an address or any number that is unique among the
 * current allocations of the same device and pool.
 *
 * -EEXIST: the id is in use. Its free was not reported, so the new one replaces it.
 * -EINVAL: size 0, or no such pool. -ENODEV: no such device. -EOVERFLOW: more
 * than a card can have. -ENOSPC: out of memory, not recorded.
 */
TTALLOC_API int ttalloc_report_alloc(unsigned device, enum ttalloc_pool pool, uint64_t id,
				     uint64_t size);

/* Reports a free. -ENOENT: no such allocation was reported. -EINVAL, -ENODEV: as above. */
TTALLOC_API int ttalloc_report_free(unsigned device, enum ttalloc_pool pool, uint64_t id);

/* Reports an allocation that failed for lack of memory. -EINVAL, -ENODEV: as above. */
TTALLOC_API int ttalloc_report_failure(unsigned device, enum ttalloc_pool pool);

/*
 * States which card a device number refers to: N of /dev/tenstorrent/N, a PCI address
 * like "0000:01:00.0", or the chip's ASIC id. They may be combined. Without any, devices
 * are numbered as by TT-Metal: by PCI address, among the cards that TT_VISIBLE_DEVICES selects.
 *
 * -ENODEV: device above 63. -EINVAL: not a node number or PCI address.
 */
TTALLOC_API int ttalloc_bind_node(unsigned device, unsigned node);
TTALLOC_API int ttalloc_bind_bdf(unsigned device, const char *bdf);
TTALLOC_API int ttalloc_bind_asic(unsigned device, uint64_t asic);

/*
 * Sets the name to show for the program, for instance if its command is just python3. The
 * text is copied and truncated to 63 bytes. -EINVAL: NULL.
 */
TTALLOC_API int ttalloc_set_program(const char *name);

/*
 * Looks for the server now, if the last attempt was at least a second ago. Reports do this
 * automatically; a program that makes no reports for a long time may call it periodically, so that
 * it soon connects to a restarted server.
 */
TTALLOC_API void ttalloc_poll(void);

TTALLOC_API enum ttalloc_state ttalloc_get_state(void);

/*
 * The usage that this process has reported so far. At most size bytes are written, so that
 * the struct may grow: pass sizeof(*usage). -EINVAL: no such pool.
 * -ENODEV: device above 63. All zero while tracking is off.
 */
TTALLOC_API int ttalloc_get_usage(unsigned device, enum ttalloc_pool pool,
				  struct ttalloc_usage *usage, size_t size);

/* Number of invalid reports of this kind; 0 if there is no such kind. */
TTALLOC_API uint64_t ttalloc_get_misuse(enum ttalloc_misuse kind);

/* "MAJOR.MINOR.PATCH" of the library. */
TTALLOC_API const char *ttalloc_version(void);

#ifdef __cplusplus
}
#endif

#endif
