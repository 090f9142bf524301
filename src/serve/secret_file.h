/* Files with keys and passwords, named on the command line. */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"

#include <sys/stat.h>

/*
 * Reads a regular file that may not have any of these permissions, e.g. S_IRWXO. False: why has the
 * reason, with the name of the file. The text is to be wiped after use: secret_wipe().
 */
MUST_CHECK bool secret_file_read(const char *path, mode_t forbidden, struct buf *ret,
				 struct buf *why);

/* Overwrites and frees the text. */
void secret_wipe(struct buf *text);
#define CLEANUP_SECRET CLEANUP(secret_wipe)
