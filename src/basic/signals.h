/* Signals as events of a program that polls descriptors. */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>

/*
 * Blocks SIGTERM, SIGINT and, if hangup is set, SIGHUP in the calling thread and those that it
 * starts later, and returns a signalfd with them, which does not block. SIGPIPE is ignored. -errno.
 */
MUST_CHECK int signals_open(bool hangup);
