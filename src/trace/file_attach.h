/* Decides what to do about a file that a search has found, and attaches probes to it. */
#pragma once

#include "trace/scan_state.h"

/* Marks cached states as stale whose library was detached, perhaps by another tracer. */
void file_attach_refresh(struct scan_state *scan);

/*
 * The state of a file, with probes attached if possible. While the kernel attaches a probe it reads
 * the file, and no process of the machine can fork. A FUSE file system may block that read, so a
 * file on one is attached to only if the user named it. -EAGAIN: another search has read the file
 * and is not done yet; -ENOMEM.
 */
MUST_CHECK int file_attach(struct scan_state *scan, const struct library_file *file, bool is_named,
			   struct file_state *ret);
