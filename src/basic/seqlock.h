/*
 * A seqlock: a group of words in shared memory that change together and that a reader gets
 * either all from before a change or all from after it.
 *
 * It has a sequence number and four copies of the words. The writer (only one at a time: writers
 * hold a lock among themselves) fills the copy after the current one and then increments the
 * number:
 *
 *	seq = 5       copy 0   copy 1   copy 2   copy 3
 *	              old      newest   being    old
 *	                                written
 *
 * A writer that dies or stops in the middle leaves an incomplete copy that no reader uses. The
 * reader reads the copy that the number selects and then the number again: the copy is consistent
 * unless the number has advanced by three or more. Two copies would suffice for correctness; with
 * four, a reader on another core succeeds against a writer that writes all the time, since such a
 * writer makes a change in less time than a cache line needs to travel.
 *
 * Every word is accessed atomically, stores with release and loads with acquire semantics, instead
 * of fences around plain accesses: x86 needs the same instructions, and thread sanitizers
 * understand it. A release store to a copy cannot be reordered before the earlier store to seq, and
 * the second load of seq cannot be reordered before an acquire load of a copy.
 */
#pragma once

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#define SEQLOCK_COPIES 4u
#define SEQLOCK_TRIES  64

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
	/* only the writer changes it */
	uint64_t next = __atomic_load_n(seq, __ATOMIC_RELAXED) + 1;
	uint64_t *copy = copies + next % SEQLOCK_COPIES * words;

#pragma GCC unroll 8
	for (size_t i = 0; i < words; i++)
		word_store(&copy[i], values[i]);
	word_store(seq, next);
}

/* Returns 0, or -EAGAIN with undefined values. */
static inline int seqlock_read(const uint64_t *seq, const uint64_t *copies, size_t words,
			       uint64_t *values)
{
	for (int i = 0; i < SEQLOCK_TRIES; i++) {
		uint64_t before = word_load(seq);
		const uint64_t *copy = copies + before % SEQLOCK_COPIES * words;

		for (size_t j = 0; j < words; j++)
			values[j] = word_load(&copy[j]);
		if (word_load(seq) - before < SEQLOCK_COPIES - 1)
			return 0;
	}
	return -EAGAIN;
}
