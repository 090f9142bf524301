/*
 * Counts the buffers that the interposed functions see.
 *
 * All functions are thread-safe. They preserve errno and do not modify the host program. Anything
 * unknown stops the counting: the process is then shown as not tracked, instead of with wrong
 * figures.
 */
#pragma once

#include "preload/library.h"

/* An allocator has allocated this buffer. */
void count_allocation(const struct library *library, const void *allocator, const void *buffer);

/* The same, called by the tracker of v0.55: also for dry runs and failures. */
void count_tracked(const struct library *library, const void *buffer);

/* The buffer is about to be freed, or its device was destroyed. */
void count_free(const void *buffer);

/* The same for all buffers of an allocator. */
void count_free_all(const void *allocator);
