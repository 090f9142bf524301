/* Credentials from files: never from a command line, which every user of the machine can read. */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"

/*
 * The only line of a file. Returns an exit code, with the name of the file and the reason in error:
 * it cannot be read, is empty, or has more than one line or control characters.
 */
MUST_CHECK int credentials_read(const char *option, const char *file, struct buf *ret,
				struct buf *error);

/* Overwrites and frees it. */
void credentials_done(struct buf *text);
