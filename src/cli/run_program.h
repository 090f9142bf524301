/* What can be told of a program before it is executed. */
#pragma once

#include "basic/macros.h"

#include <stddef.h>

/* Where execvp() will find it. -ENOENT: nowhere; -EACCES: there, but not executable. */
MUST_CHECK int program_find(const char *name, char *path, size_t size);

/*
 * Why nothing can be preloaded into it ("is set-user-ID"), NULL if nothing speaks
 * against it. Of a script, it is the interpreter that counts.
 */
const char *program_obstacle(const char *path);
