/* The number of descriptors that the server may have, which limits the number of clients. */
#pragma once

#include "daemon/limits.h"

/*
 * Raises RLIMIT_NOFILE to what the limits need. If that is not permitted, it lowers the limit of
 * clients: the documented one must be the one that is enforced.
 */
void descriptors_raise(struct limits *limits);
