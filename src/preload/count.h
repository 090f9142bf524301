/*
 * What the functions that were taken over report: buffers in, buffers out.
 *
 * All of it may be called from any thread and changes neither errno nor anything of the
 * program's. What cannot be understood ends the counting: a process is then shown as
 * not tracked, rather than with a figure that is wrong.
 */
#pragma once

#include "preload/library.h"

/* This allocator has made this buffer. */
void count_allocation(const struct library *library, const void *allocator, const void *buffer);

/* The same as the tracker of v0.55 tells it: dry runs and failures too. */
void count_tracked(const struct library *library, const void *buffer);

/* It is about to be freed, or was gone already. */
void count_free(const void *buffer);

/* So are all of an allocator. */
void count_free_all(const void *allocator);
