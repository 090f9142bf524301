/*
 * Where the text goes: standard output, or a file. A single output to a regular
 * file appears whole or not at all.
 */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"

#include <stdbool.h>

struct output {
	int fd;
	const char *name; /* for messages */
	char *temporary;  /* renamed to final at the end; NULL: written in place */
	const char *final;
};

/* file NULL or "-": standard output. once: one text and no more. -errno. */
MUST_CHECK int output_open(struct output *output, const char *file, bool once);

/* All of it, or -errno. */
MUST_CHECK int output_write(struct output *output, const struct buf *text);

/* A text to standard output, help for instance: where data goes. An exit code. */
MUST_CHECK int output_print(const struct buf *text);

/* Closes; puts the file in its place if keep, else removes what was begun. -errno. */
MUST_CHECK int output_close(struct output *output, bool keep);
