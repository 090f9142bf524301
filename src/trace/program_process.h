/*
 * The programs that one process runs on chips. A job reads the rings of its profiler, since reading
 * the memory of another process may block (userfaultfd); figures are computed afterwards
 * (trace/program_judge.h).
 */
#pragma once

#include "trace/program_share.h"
#include "trace/program_state.h"

#include "basic/worker_pool.h"
#include "metal/profiler_ring.h"
#include "metal/program_figure.h"

struct program_chip {
	uint32_t chip;
	bool has_ring, has_stream;
	struct profiler_ring ring;
	bool is_usable;	  /* the last batch could be used */
	bool has_garbage; /* the ring contained bytes that are not records */
	bool is_late;	  /* the ring was found when it had wrapped, or has garbage */
	uint64_t missed;  /* launches whose records were overwritten by then; 0: not known */
	int64_t read_ns;  /* when records were last looked for */
	struct program_stream stream;

	/* What launches say, if they are followed. */
	bool has_queue;
	struct trace_queue queue;
	struct program_upper upper;

	/*
	 * Records from the kernel's ring buffer (before v0.76), until they are added to the stream.
	 */
	struct program_record *kept;
	size_t n_kept;
	int64_t arrived_ns; /* when the last one of them arrived */

	struct program_figure figure;
	enum dispatch_state state;
};

/* The time per name, to find the operation that takes most of it. */
struct operation_share {
	char name[PROGRAM_NAME];
	uint64_t ticks;
};

enum { OPERATIONS_COUNTED = 32 };

struct program_process {
	struct program_process *next;
	struct job job;
	uint32_t tgid;
	uint64_t start; /* ticks since boot */
	uint32_t uid;
	char comm[PROGRAM_COMM];
	int64_t first_ns;	      /* when it was first seen by the sampler */
	int operations;		      /* the BPF map of names; -1: names are not followed */
	size_t names_left;	      /* names that may still be looked up in this sample */
	struct program_share *share;  /* of its user */
	int64_t work;		      /* of its last job, not paid for yet */
	int64_t waits_ns;	      /* it could not pay since then; 0: it could */
	bool is_waiting;	      /* in this sample it could not */
	bool is_left_out;	      /* it has no figures, since its user has used up the share */
	bool has_line;		      /* it has at least a line with the reason */
	bool is_current;	      /* seen in this round */
	size_t n_devices;	      /* that it holds */
	bool can_ring, can_record;    /* its release has a profiler with rings, or with records */
	bool is_followed;	      /* its launches are, so there can be an upper bound */
	bool has_chip_first;	      /* its records have the chip's number at the first place */
	char operation[PROGRAM_NAME]; /* that took most time in the last window, */
	int64_t named_ns;	      /* which ended then */
	struct trace_programs programs; /* copy of the kernel's entry, */
	int64_t asked_ns;		/* made before the records were read: the time of figures */
	uint64_t counted_after;		/* launches counted by the time the records had been read */
	uint64_t manager;		/* the RealtimeProfilerManager whose rings are known */
	int error;			/* of the last job */
	struct program_chip *chips;
	size_t n_chips;
	struct operation_share shares[OPERATIONS_COUNTED];
	size_t n_shares;
	void *pages; /* what the job reads into */
	struct profiler_batch batch;
};

/* NULL: no memory. */
struct program_process *program_process_new(uint32_t tgid, uint64_t start, int operations,
					    int64_t now, struct program_share **shares);

/* Its job must not be busy. Takes NULL, returns NULL. */
struct program_process *program_process_free(struct program_process *process,
					     struct program_share **shares);

/* In a list of processes. NULL: no scan has found it yet, or it holds no device. */
struct program_process *program_process_find(struct program_process *list, uint32_t tgid);

/* The chip with this number, made if it is missing. NULL: no memory, or the process is left out. */
struct program_chip *program_process_chip(struct program_process *process, uint32_t chip);

/* Drops chips and rings: the process has called execve(), or opened its devices again. */
void program_process_restart(struct program_process *process);

/* To be called in each sample before records are added. */
void program_process_begin(struct program_process *process);

/* The job that reads its rings. */
struct job *program_process_start(struct program_process *process);

/* Keeps a record from the kernel's ring buffer until program_process_take_kept() adds it. */
MUST_CHECK int program_process_keep(struct program_process *process, uint32_t chip,
				    double ticks_per_ns, const struct program_record *record,
				    int64_t arrived);
void program_process_take_kept(struct program_process *process, int64_t now);

/* The operation that took most time since the last call; "": none. */
void program_process_operation(struct program_process *process, char name[static PROGRAM_NAME]);
