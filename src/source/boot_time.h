/* When the machine started. */
#pragma once

#include "basic/root.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Boot time as Unix time, to which the kernel's times of processes are relative. On the live
 * machine it is computed each time, since the clock may be set; in a tree *cache holds it (0: not
 * read yet). False: not known.
 */
bool boot_time_read(const struct root *root, int64_t *cache, double *ret);
