/*
 * Programs and libraries of ours: beside the program that runs, as in a build directory, or
 * where they are installed.
 */
#pragma once

#include "basic/macros.h"

#include <stddef.h>

/* The path of the first one that exists. -ENOENT: none does; -ENAMETOOLONG. */
MUST_CHECK int sibling_program_find(const char *name, char *path, size_t size);

/* Becomes that program. Returns -errno only. */
MUST_CHECK int sibling_program_execute(const char *name, char **argv);
