/* Handles records in which legacy clients report allocations and frees. */
#pragma once

#include "basic/macros.h"
#include "proto/legacy.h"

struct legacy_connection;

/* Counts it for the connection's process, or ignores it if it is invalid. -errno: refused. */
MUST_CHECK int legacy_report(struct legacy_connection *connection,
			     const struct legacy_record *record);
