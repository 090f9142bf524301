/*
 * Opens files to write without following a symbolic link that another user may have created.
 *
 * In a directory with the sticky bit, such as /tmp, every user can create links. There a link at
 * the end of a path is never followed, and one before the end only if it belongs to the user of
 * this process or to the owner of the directory. fs.protected_symlinks of sysctl(8) is not needed.
 */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"

#include <sys/types.h>

/*
 * open(2). -ELOOP if a link is not followed, whose path is then in ret_link; else that stays empty.
 * -errno
 */
MUST_CHECK int chase_open(const char *path, int flags, mode_t mode, struct buf *ret_link);

/* Opens the directory that contains the file, with O_PATH; errors as above. */
MUST_CHECK int chase_directory(const char *path, struct buf *ret_link);

/* The file's name in that directory, a part of the path. */
const char *chase_name(const char *path);
