/*
 * Sources fill the model, one file per origin. sources.c lists them in the order
 * they are asked; each sees what the earlier ones found.
 */
#pragma once

#include "basic/crew.h"
#include "basic/file.h"
#include "model/merge.h"
#include "model/snapshot.h"
#include "model/want.h"

#include <stdint.h>

/* A snapshot in the making. */
struct sample {
	const struct root *root;
	const struct want *want;
	struct crew *crew;
	int64_t deadline_ns; /* for one job */
	struct snapshot *snapshot;
	struct claim *claims;
	size_t n_claims;
};

struct source {
	const char *name, *help;
	int (*open)(const struct root *root, void **ret_state);
	int (*sample)(void *state, struct sample *sample); /* -errno: nothing to be had of it */
	void (*close)(void *state, struct crew *crew);
};

extern const struct source source_kmd, source_holders, source_daemon, source_proc, source_tables,
	source_metal_shm, source_util_shm;

/* In the order they are asked; NULL at the end. */
extern const struct source *const sources[];

MUST_CHECK int sample_claim(struct sample *sample, const struct claim *claim);
