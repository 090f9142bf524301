/*
 * Roles of holders: which of them only monitor devices. Judged as tt_smi does it as root
 * (source/role_watch.h), and put into the kernel's list of holders for users who may not look.
 */
#pragma once

#include "basic/macros.h"

struct scan;

/* Judges the holders of a scan; one that was judged already only if it has changed. */
MUST_CHECK int role_update(struct scan *scan);
