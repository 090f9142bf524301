/*
 * The programs that the process runs on chips: what the interposed functions see is published in a
 * table (metal/program_table.h), from which a monitor computes figures.
 *
 * Nothing is allocated from the program's heap, and no thread is started. All functions are
 * thread-safe and preserve errno. A forked child gets a table of its own when it runs a program.
 */
#pragma once

#include "alloc/lock.h"
#include "metal/program_table.h"
#include "preload/library.h"

#include <stdbool.h>
#include <stdint.h>

/* The process uses a chip: shows that its launches are followed, even if there is none. */
void programs_follow(const struct library *library);

/* The profiler of a chip was switched on or off. */
void programs_profile(const struct library *library, uint32_t chip, bool on);

/* (command queue): a program, or a trace. */
void programs_launch(const struct library *library, uint64_t queue, bool is_program);
void programs_launch_slow(const struct library *library);

/* (SystemMemoryManager, number of the queue, event) */
void programs_note_event(const struct library *library, const void *manager, uint8_t queue,
			 uint32_t event);
void programs_complete(const struct library *library, const void *manager, uint8_t queue,
		       uint32_t event);

/* Launches from now on are captured for a trace (on), or executed. */
void programs_bypass(const struct library *library, bool on);

/* ---- for preload/program_records.c ---- */

/*
 * The table of this process, for calls of this copy of TT-Metal, and the time; NULL: nothing is
 * published.
 */
struct program_table *programs_table(const struct library *library, int64_t *ret_now);

/* The cell of a chip, which has memory from then on; NULL: there is none. */
struct program_table_chip *programs_cell(struct program_table *table, uint32_t chip);

/* To be called if an object has an unknown layout. */
void programs_refuse(struct program_table *table);

/* Private memory, which the kernel zeroes in a forked child. NULL: none. */
void *programs_memory(size_t bytes);
