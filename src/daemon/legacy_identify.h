/*
 * Identifies the process of a legacy connection and the devices that it sees. Both are read from
 * /proc by the observer's thread when the first record arrives.
 */
#pragma once

#include "basic/macros.h"
#include "proto/legacy.h"

struct legacy_connection;

/*
 * Stores the record as due, in state LEGACY_PROBING, until connection->identified() is called, or
 * determines that the process has ended. -errno: the connection is refused.
 */
MUST_CHECK int legacy_identify(struct legacy_connection *connection,
			       const struct legacy_record *record);
