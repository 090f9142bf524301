/*
 * Finds our other programs and libraries: beside the running program, as in a build directory, or
 * where they are installed.
 */
#pragma once

#include "basic/macros.h"

#include <stddef.h>

/* The path of the first one that exists. -ENOENT: none does; -ENAMETOOLONG. */
MUST_CHECK int sibling_program_find(const char *name, char *path, size_t size);

/* Executes that program. Returns -errno on failure only. */
MUST_CHECK int sibling_program_execute(const char *name, char **argv);
