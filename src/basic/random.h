/*
 * Pseudo-random numbers that depend only on the seed: the tree of --static must not change from run
 * to run.
 */
#pragma once

#include <stdint.h>

/* Mixes seed, an identifier of the purpose, and an index (Steele et al., splitmix64). */
static inline uint64_t random_of(uint64_t seed, uint64_t purpose, uint64_t index)
{
	uint64_t z = seed * 0x9E3779B97F4A7C15u + purpose * 0xD1B54A32D192ED03u + index + 1;

	for (unsigned round = 0; round < 2; round++) {
		z += 0x9E3779B97F4A7C15u;
		z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
		z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
		z ^= z >> 31;
	}
	return z;
}

/* The same, in [0, 1). */
static inline double random_unit(uint64_t seed, uint64_t purpose, uint64_t index)
{
	return (double)(random_of(seed, purpose, index) >> 11) / 9007199254740992.0;
}
