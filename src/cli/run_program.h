/* Examines a program before it is executed. */
#pragma once

#include "basic/macros.h"

#include <stddef.h>

/* The path that execvp() will use. -ENOENT: not found; -EACCES: not executable. */
MUST_CHECK int program_find(const char *name, char *path, size_t size);

/*
 * Why nothing can be preloaded into it ("is linked statically"); NULL: no obstacle is known. For a
 * script, the interpreter is examined.
 */
const char *program_obstacle(const char *path);
