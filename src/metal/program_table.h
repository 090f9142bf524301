/*
 * The table in which the preloaded library publishes the programs that its process runs: layout
 * and reader. docs/shared-memory.md describes it; PROGRAM_TABLE_VERSION changes with both.
 *
 * It contains state, not figures: no thread of an idle process would update figures. The reader
 * computes them, for the time at which it reads.
 *
 * The table is a sealed memfd, as proto/table.h. The reader trusts nothing in it.
 */
#pragma once

#include "basic/dispatch_state.h"
#include "basic/seqlock.h"
#include "metal/program_figure.h"
#include "metal/program_series.h"

#define PROGRAM_TABLE_MAGIC                                                   \
	UINT64_C(0x31474f5250415454) /* "TTAPROG1" on a little-endian machine \
				      */
#define PROGRAM_TABLE_VERSION 2u

/* The name for memfd_create(); /proc/PID/fd shows PROGRAM_TABLE_LINK. */
#define PROGRAM_TABLE_NAME "ttalloc-programs"
#define PROGRAM_TABLE_LINK "/memfd:" PROGRAM_TABLE_NAME " (deleted)"

enum {
	PROGRAM_TABLE_CHIPS = 64,
	PROGRAM_TABLE_OPERATION = 48, /* bytes of an operation's name, NUL included */
};

/* Words of the groups under seqlocks. Times are ns of CLOCK_MONOTONIC. */
enum program_stream_word {
	STREAM_FLAGS, /* bits of enum program_stream_flag */
	STREAM_RECORDS,
	STREAM_ADVANCED,
	STREAM_FAULTY, /* times, up to STREAM_MISFIT */
	STREAM_LAST_END,
	STREAM_ARRIVED,
	STREAM_ADJUSTED,
	STREAM_MISFIT,
	STREAM_DRIFT, /* ns, this and the next */
	STREAM_SET_BACK,
	STREAM_WORDS,
};

enum program_stream_flag {
	STREAM_IS_USED = 1 << 0,      /* there are records */
	STREAM_IS_USABLE = 1 << 1,    /* the clock is known at the moment */
	STREAM_IS_REFUSED = 1 << 2,   /* the layout of its profiler is not known */
	STREAM_IS_AMBIGUOUS = 1 << 3, /* its records may be of several chips */
	STREAM_IS_MEASURED = 1 << 4,  /* the rate of its clock is by the arrival of records */
};

enum program_operation_word {
	OPERATION_AT, /* when it was chosen */
	OPERATION_NAME,
	OPERATION_WORDS = OPERATION_NAME + PROGRAM_TABLE_OPERATION / 8,
};

/* What the release of TT-Metal has. */
enum program_table_flag {
	PROGRAM_TABLE_HAS_PROFILER = 1 << 0,
	PROGRAM_TABLE_IS_REFUSED = 1 << 1, /* its objects have a layout that no known release has */
};

struct program_table_chip {
	uint64_t seq;
	uint64_t reserved1[7];
	uint64_t stream[SEQLOCK_COPIES][STREAM_WORDS];
	uint64_t has_queue;
	struct program_queue_state queue;
	uint64_t reserved2[73];
	struct program_series busy;    /* ns in which a program ran, by records */
	struct program_series ended;   /* programs that ended */
	struct program_series pending; /* ns in which something was launched and not known to have
					  finished, without the time that has not ended */
};

struct program_table {
	/* Written once, before the magic. */
	uint64_t magic;
	uint32_t version;
	uint32_t header_size; /* sizeof(struct program_table) */
	uint32_t chip_size;   /* sizeof(struct program_table_chip) */
	uint32_t chip_count;  /* PROGRAM_TABLE_CHIPS */
	uint64_t pid;	      /* of the writer, in its own pid namespace */
	uint64_t start_ticks; /* field 22 of its /proc/PID/stat; 0 if it could not be read */
	uint64_t created;     /* since when launches and records are followed */
	uint64_t reserved0[10];

	/* Single words, changed by the writer at any time. */
	uint64_t flags;	   /* bits of enum program_table_flag */
	uint64_t chips;	   /* bit per chip that has a cell, */
	uint64_t profiled; /* and per chip whose profiler is on */
	uint64_t reserved1[5];

	uint64_t operation_seq;
	uint64_t reserved2[7];
	uint64_t operation[SEQLOCK_COPIES][OPERATION_WORDS];

	struct program_launch_state launches;
	uint8_t reserved3[3024];
	struct program_table_chip cells[];
};

_Static_assert(sizeof(struct program_table_chip) == 1024 + 3 * 8192, "cell of a chip");
_Static_assert(sizeof(struct program_table) == 4096, "header");

#define PROGRAM_TABLE_SIZE \
	(sizeof(struct program_table) + PROGRAM_TABLE_CHIPS * sizeof(struct program_table_chip))

/*
 * Is there a table in this block, of PROGRAM_TABLE_SIZE and aligned to 8? -EAGAIN: not written yet.
 * -EPROTONOSUPPORT: another version. -EBADMSG: not a table.
 */
MUST_CHECK int program_table_check(const struct program_table *table, size_t length);

/*
 * The figure of a chip at `now`, and the times it is made of, coarse as in struct program_user; the
 * caller frees them. n_devices: that the process has open. Returns why there is none, or
 * only an upper bound; else DISPATCH_OK. -ENOMEM; -EBADMSG: the content cannot be right; -EAGAIN:
 * it changed whenever it was read.
 */
MUST_CHECK int program_table_judge(const struct program_table *table, uint32_t chip,
				   size_t n_devices, int64_t now, struct program_figure *ret,
				   struct program_intervals *ret_busy);

/* Why chips without a cell have no figure. */
enum dispatch_state program_table_state(const struct program_table *table);

/* The operation that took most time lately; "": none. */
void program_table_operation(const struct program_table *table, int64_t now,
			     char ret[static PROGRAM_TABLE_OPERATION]);
