/*
 * A text that several threads refer to and none changes. It is freed with its last reference. Used
 * where a long text is part of every sample, but rarely changes.
 */
#pragma once

#include <stddef.h>

/* A buffer of this size with one reference, to be filled before it is shared. NULL: no memory. */
char *shared_text_new(size_t size);

/*
 * For a text that may equal many others, as the command lines of a job's processes: releases it if
 * there is an equal one, and returns a reference to that. NULL stays NULL. May be called by any
 * thread.
 */
char *shared_text_join(char *text);

/* Another reference; returns the text. */
char *shared_text_ref(char *text);

/* Takes NULL, returns NULL. */
char *shared_text_unref(char *text);
