/*
 * Options of libbpf's functions. libbpf rejects options in which unknown bytes are set, including
 * padding and unused members of a union. LIBBPF_OPTS() of libbpf 1.1 copies a compound literal,
 * where those bytes are undefined; without optimisation they are not zero.
 */
#pragma once

#include <string.h>

/* Clears all bytes of *options and sets its size. Assign the members afterwards. */
#define bpf_options_init(options)                       \
	do {                                            \
		memset(options, 0, sizeof(*(options))); \
		(options)->sz = sizeof(*(options));     \
	} while (0)
