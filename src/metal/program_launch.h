/*
 * What a process has launched and what has finished: the state behind the hooks of
 * metal/program_hook.h and the rules that change it. The BPF programs share them with the preloaded
 * library, so this header needs no C library. Times are ns of CLOCK_MONOTONIC.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { PROGRAM_TIMES = 64 /* launches whose time is kept; a power of two */ };

/* Of a process. */
struct program_launch_state {
	uint64_t queue;		       /* the command queue whose launches are counted */
	uint64_t counted;	       /* launches on that queue */
	uint64_t launched;	       /* all launches */
	uint64_t newest_ns;	       /* time of the last of them, */
	uint64_t first_ns;	       /* of the first, */
	uint64_t begun_ns;	       /* and of the first one since all had finished, */
	uint64_t begun;		       /* which had this number */
	uint64_t uncounted_ns;	       /* the last one that was not counted */
	uint64_t slow_ns;	       /* the last one without a dispatcher on the chip */
	uint64_t bypassed;	       /* what it launches is captured for a trace */
	uint64_t times[PROGRAM_TIMES]; /* of the last launches, by number */
};

/* Of a SystemMemoryManager, which belongs to one chip. */
struct program_queue_state {
	uint32_t chip;
	uint32_t open;	     /* a bit per queue number with an event that is not completed */
	uint64_t reached[2]; /* by queue number: launches before its last event */
	uint64_t completed;  /* launches that are known to have finished */
	uint64_t busy_ns;    /* in which something was launched and not known to have finished */
	uint64_t idle_ns;    /* when all was last known to have finished; 0: never */
};

#define PROGRAM_RULE static inline __attribute__((always_inline))

/* A word that other threads, and readers in other processes, may use at the same time. */
#ifdef __bpf__
#define program_get(word)	 (*(word))
#define program_set(word, value) (*(word) = (value))
#else
#define program_get(word)	 __atomic_load_n(word, __ATOMIC_RELAXED)
#define program_set(word, value) __atomic_store_n(word, value, __ATOMIC_RELAXED)
#endif

/* A launch on a command queue; is_counted: one program, not a trace. */
PROGRAM_RULE void program_launch(struct program_launch_state *state, uint64_t queue,
				 bool is_counted, uint64_t now)
{
	uint64_t number;

	if (program_get(&state->bypassed))
		return;
	if (!program_get(&state->queue))
		__sync_val_compare_and_swap(&state->queue, 0, queue);
	number = __sync_fetch_and_add(&state->launched, 1);
	if (number == 0)
		program_set(&state->first_ns, now);
	if (number == program_get(&state->begun))
		program_set(&state->begun_ns, now);
	program_set(&state->times[number % PROGRAM_TIMES], now);
	program_set(&state->newest_ns, now);
	if (is_counted && program_get(&state->queue) == queue)
		__sync_fetch_and_add(&state->counted, 1);
	else
		program_set(&state->uncounted_ns, now);
}

PROGRAM_RULE void program_launch_slow(struct program_launch_state *state, uint64_t now)
{
	program_set(&state->slow_ns, now);
	program_set(&state->uncounted_ns, now);
}

/* Was nothing launched, on any queue, since launches are followed? */
PROGRAM_RULE bool program_none_launched(const struct program_launch_state *state)
{
	return !program_get(&state->launched) && !program_get(&state->uncounted_ns);
}

/* An event of a queue is completed after everything that was launched before it. */
PROGRAM_RULE void program_next_event(struct program_launch_state *state,
				     struct program_queue_state *queue, uint32_t number,
				     uint64_t now)
{
	if (number)
		program_set(&state->uncounted_ns, now); /* the second queue is not measured */
	program_set(&queue->reached[number & 1], program_get(&state->launched));
	__sync_fetch_and_or(&queue->open, 1U << (number & 1));
}

/*
 * The latest time at which the first launch that is not known to have finished can have been made.
 */
PROGRAM_RULE uint64_t program_unfinished_since(const struct program_launch_state *state,
					       const struct program_queue_state *queue)
{
	if (program_get(&state->launched) - queue->completed <= PROGRAM_TIMES)
		return program_get(&state->times[queue->completed % PROGRAM_TIMES]);
	if (queue->completed == program_get(&state->begun))
		return program_get(&state->begun_ns);
	return queue->idle_ns ? queue->idle_ns : program_get(&state->first_ns);
}

/*
 * The last event of a queue is completed. Returns when the time in which something was unfinished
 * began, if it ends now, else 0.
 */
PROGRAM_RULE uint64_t program_complete(struct program_launch_state *state,
				       struct program_queue_state *queue, uint32_t number,
				       uint64_t now)
{
	uint64_t launched = program_get(&state->launched), since;

	__sync_fetch_and_and(&queue->open, ~(1U << (number & 1)));
	if (program_get(&queue->open) || queue->reached[number & 1] != launched ||
	    queue->completed == launched)
		return 0;
	since = program_unfinished_since(state, queue);
	if (since < now)
		program_set(&queue->busy_ns, queue->busy_ns + now - since);
	program_set(&queue->idle_ns, now);
	program_set(&queue->completed, launched);
	program_set(&state->begun, launched);
	return since;
}

/* For how long something has been unfinished at `now`; 0: nothing is. */
PROGRAM_RULE uint64_t program_pending_time(const struct program_launch_state *state,
					   const struct program_queue_state *queue, uint64_t now)
{
	uint64_t since = program_unfinished_since(state, queue);

	return state->launched > queue->completed && since < now ? now - since : 0;
}
