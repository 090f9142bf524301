/* A record by which a legacy client reports memory that it takes or gives back. */
#pragma once

#include "basic/macros.h"
#include "proto/legacy.h"

struct legacy_connection;

/* Counts it for the connection's process, or ignores one that makes no sense. -errno: refused. */
MUST_CHECK int legacy_report(struct legacy_connection *connection,
			     const struct legacy_record *record);
