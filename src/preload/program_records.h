/*
 * The records that TT-Metal's profiler passes to callbacks: start and end of each program, measured
 * on the chip. See preload/programs.h.
 */
#pragma once

#include "preload/library.h"

#include <stddef.h>
#include <stdint.h>

/* v0.76 and later: (DeviceState, pages, number of pages) */
void records_publish(const struct library *library, const void *state, const void *pages,
		     uint32_t count);

/* v0.71 to v0.75: (ProgramRealtimeRecord) */
void records_add(const struct library *library, const void *record);

/* The name of the program with this number. */
void records_name(const struct library *library, uint16_t id, const char *text, size_t length);
