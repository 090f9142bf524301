/*
 * The destination of output: standard output, or a file. A single output replaces a regular file,
 * and appears completely or not at all; repeated output is appended.
 */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"
#include "cli/log_file.h"

#include <stdbool.h>

struct output {
	int fd;
	const char *name;    /* path, or what messages call it */
	int directory;	     /* of the file, while there is a temporary one */
	char *temporary;     /* name in it, renamed at the end; NULL: written directly */
	struct buf link;     /* a symbolic link that was not followed */
	struct log_file log; /* log.path NULL: written once, or to standard output */
};

/*
 * file NULL or "-": standard output. once: a single text will be written. Links are followed as
 * basic/chase.h says. -errno
 */
MUST_CHECK int output_open(struct output *output, const char *file, bool once);

/*
 * To be called before each text of repeated output: continues with a new file if rotation has moved
 * the old one away. Returns 1 if it did or if the file was truncated, else 0. On failure (-errno)
 * the old one stays.
 */
MUST_CHECK int output_follow(struct output *output);

/* Is a header due? Not in a file that already has text. */
bool output_is_empty(const struct output *output);

/* Writes all of it, or returns -errno. */
MUST_CHECK int output_write(struct output *output, const struct buf *text);

/* Says that one of these functions failed with this error. Returns an exit code. */
int output_failed(struct output *output, int error);

/* Writes a text, such as help, to standard output. Returns an exit code. */
MUST_CHECK int output_print(const struct buf *text);

/* Closes it; keep: moves the file to its final name, else removes it. -errno. */
MUST_CHECK int output_close(struct output *output, bool keep);
