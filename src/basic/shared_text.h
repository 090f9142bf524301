/*
 * A text that several threads refer to and none changes. It is freed with its last reference. Used
 * where a long text is part of every sample, but rarely changes.
 */
#pragma once

#include <stddef.h>

/* A buffer of this size with one reference, to be filled before it is shared. NULL: no memory. */
char *shared_text_new(size_t size);

/* Another reference; returns the text. */
char *shared_text_ref(char *text);

/* Takes NULL, returns NULL. */
char *shared_text_unref(char *text);
