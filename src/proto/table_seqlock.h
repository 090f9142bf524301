/*
 * A group of words that change together, and can be read whole at any time.
 *
 * A sequence number and four copies. The writer (one at a time: it holds a lock
 * of its own) fills the copy after the current one and then moves the number on:
 *
 *	seq = 5       copy 0   copy 1   copy 2   copy 3
 *	              old      newest   being    old
 *	                                written
 *
 * Whoever dies or stops while it writes does so in a copy that nobody reads. The
 * reader takes the copy of the number it saw and looks at the number again: the
 * copy was left alone unless the writer has come round to it, three changes
 * later. Two copies would do for correctness; with four a reader on another core
 * wins against a writer that does nothing else, who makes a change in less time
 * than one cache line needs to travel.
 *
 * Every word is atomic, stores release and loads acquire, instead of fences
 * around plain ones: the same instructions on x86, and thread sanitizers
 * understand it. A release store to a copy cannot pass the earlier store to
 * seq, and the second load of seq cannot pass an acquire load of a copy.
 */
#pragma once

#include "proto/table.h"

#include <errno.h>

#define SEQLOCK_TRIES 64

static inline uint64_t word_load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static inline void word_store(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static inline void seqlock_write(uint64_t *seq, uint64_t *copies, size_t words,
				 const uint64_t *values)
{
	uint64_t next = __atomic_load_n(seq, __ATOMIC_RELAXED) + 1; /* ours alone to change */
	uint64_t *copy = copies + next % TABLE_COPIES * words;

#pragma GCC unroll 8
	for (size_t i = 0; i < words; i++)
		word_store(&copy[i], values[i]);
	word_store(seq, next);
}

/* 0, or -EAGAIN with values in no useful state. */
static inline int seqlock_read(const uint64_t *seq, const uint64_t *copies, size_t words,
			       uint64_t *values)
{
	for (int i = 0; i < SEQLOCK_TRIES; i++) {
		uint64_t before = word_load(seq);
		const uint64_t *copy = copies + before % TABLE_COPIES * words;

		for (size_t j = 0; j < words; j++)
			values[j] = word_load(&copy[j]);
		if (word_load(seq) - before < TABLE_COPIES - 1)
			return 0;
	}
	return -EAGAIN;
}
