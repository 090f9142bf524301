/*
 * The values of the BPF maps about programs on chips: what a process has launched and finished, and
 * the figures of compute utilisation that the tracer publishes. Shared by the BPF programs and the
 * tracer, so without the C library. Times are ns of CLOCK_MONOTONIC.
 */
#pragma once

#include "basic/dispatch_state.h"
#include "metal/program_hook.h"
#include "metal/program_launch.h"

#include <stdint.h>

enum {
	PROGRAM_PROCESSES = 1024,
	PROGRAM_USERS = 4096,
	/* A user's part of PROGRAM_PROCESSES, so that none can take the entries of all others. */
	PROGRAM_USER_ENTRIES = 256,
	PROGRAM_QUEUES = 65536, /* all chips of all processes */
	PROGRAM_LINES = 16384,
	PROGRAM_OPERATIONS = 16384,
	PROGRAM_NAMED = 1024, /* operations of one process whose names are kept; a power of two */
	PROGRAM_BUFFER = 8 << 20, /* bytes of the ring buffer of records: room for 80,000 */
	/*
	 * Records of one process, and of all processes of a user, in each period of PROGRAM_PERIOD
	 * ns, so that others have room.
	 */
	PROGRAM_RECORDS = 10000,
	PROGRAM_USER_RECORDS = 20000,
	PROGRAM_PERIOD = 250000000,
	PROGRAM_NAME = 48, /* bytes of an operation's name, NUL included */
	PROGRAM_COMM = 16,
};

/* Records in a period. */
struct trace_record_count {
	uint64_t period_ns; /* when it began */
	uint64_t count;
};

/* By tgid. */
struct trace_programs {
	uint64_t start_ns; /* of the process, ns since boot; 0: the entry is incomplete */
	uint64_t begun_ns; /* when the entry was made: a new one is made after execve(), and when a
      device is opened after all were closed */
	uint32_t library;  /* whose probes report for it */
	uint32_t from_start; /* launches are followed since it started */
	uint32_t uid;	     /* whose share the entry is part of */
	uint32_t zero;
	uint64_t manager;    /* its RealtimeProfilerManager; 0: not seen */
	uint64_t profiled;   /* bit per chip whose profiler was seen to be on */
	uint64_t dropped_ns; /* when a record last found no room in the ring buffer; 0: never */
	struct trace_record_count records;
	struct program_launch_state launches;
};

/* By uid. If a user has not been seen for long, the kernel may drop this: it begins with 0 again.
 */
struct trace_program_user {
	int64_t entries;     /* in the map of trace_programs */
	uint64_t refused_ns; /* when it last got none, ns since boot; 0: never */
	struct trace_record_count records;
};

/*
 * The queues of a chip in a process. One entry per chip, so that a process that passes many false
 * SystemMemoryManagers to the hooks leaves room for other processes.
 */
struct trace_queue_key {
	uint32_t tgid;
	uint32_t chip;
};

struct trace_queue {
	uint64_t start_ns; /* of the process */
	uint64_t made_ns;  /* when the entry was made */
	/* The chip's SystemMemoryManager; a chip that is opened again has another. */
	uint64_t manager;
	/*
	 * By bit of a command queue: an event was issued since all launches are followed; and such
	 * an event is completed, so that nothing that was launched before still runs.
	 */
	uint32_t issued, settled;
	uint32_t count; /* of command queues; 0: not known yet */
	uint32_t zero;
	struct program_queue_state state;
};

/* A record of the profiler, as releases before v0.76 pass it to callbacks. */
struct trace_record {
	uint64_t start_ns; /* of the process */
	uint32_t tgid;
	uint32_t id;
	uint32_t words[2];   /* where one release or the other has the number of the chip */
	uint64_t start, end; /* ticks */
	uint64_t rate;	     /* bits of a double: ticks per ns */
	uint64_t arrived_ns;
};

/* Each process uses at most PROGRAM_NAMED entries, so that none evicts the names of others. */
struct trace_operation_key {
	uint32_t tgid;
	uint32_t slot; /* the number modulo PROGRAM_NAMED */
};

struct trace_operation {
	uint32_t id; /* low 16 bits of the number */
	char name[PROGRAM_NAME];
};

enum trace_line_bound { LINE_NONE, LINE_EXACT, LINE_LOWER, LINE_UPPER };

/* A line of the file `dispatch`: a process on a chip, or (tgid 0) a device. */
struct trace_line_key {
	uint32_t tgid;
	uint32_t chip; /* of a device's line: N of /dev/tenstorrent/N */
};

struct trace_line {
	uint64_t start; /* ticks since boot; 0 in a device's line */
	uint64_t busy, window, programs, updated;
	int64_t running, last; /* -1: none, or not known */
	int32_t device;	       /* -1: not known */
	uint32_t uid;	       /* may see the operation */
	uint32_t bound;	       /* enum trace_line_bound */
	uint32_t state;	       /* enum dispatch_state */
	char comm[PROGRAM_COMM];
	char operation[PROGRAM_NAME];
	uint64_t check; /* trace_line_sum() */
};

/*
 * The kernel may reuse an entry for another line while a reader copies it: the sum shows that a
 * copy, and its key, are of one line.
 */
static inline __attribute__((always_inline)) uint64_t
trace_line_sum(const struct trace_line_key *key, const struct trace_line *line)
{
	const uint64_t *words = (const uint64_t *)line;
	uint64_t sum = (uint64_t)key->tgid << 32 | key->chip;

	for (unsigned i = 0; i < sizeof(*line) / 8 - 1; i++)
		sum = (sum ^ words[i]) * 0x100000001b3; /* as FNV-1a, by words */
	return sum;
}
