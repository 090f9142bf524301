/*
 * Asks the sources that tt_smi asks too. Driver files can make a reader wait, so
 * they are read by workers of a crew, for whom the server waits a moment only. It
 * is made for a look and freed after it, and the server is one thread again.
 */
#pragma once

#include "basic/root.h"
#include "basic/macros.h"
#include "model/merge.h"

struct looker;

MUST_CHECK int looker_new(const struct root *root, struct looker **ret);
struct looker *looker_free(struct looker *looker);

/* The devices, identity and capacity only. -ENOENT: no driver. Owned by the caller. */
MUST_CHECK int looker_devices(struct looker *looker, struct snapshot **ret);

/* What these say of processes that hold devices. Both owned by the caller. */
MUST_CHECK int looker_counts(struct looker *looker, struct snapshot **ret_snapshot,
			     struct claim **ret_claims, size_t *ret_count);
