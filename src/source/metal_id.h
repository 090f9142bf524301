/*
 * Identifies the chip of one of TT-Metal's files by the id in its name: UMD's unique id of the
 * chip. How UMD computes that id depends on board, links and release, so a chip has several
 * candidates.
 */
#pragma once

#include "basic/macros.h"
#include "model/snapshot.h"

#include <stdbool.h>
#include <stdint.h>

/* In the order of preference. */
enum metal_id_rule {
	METAL_ID_ASIC,	      /* Blackhole without links */
	METAL_ID_ETHERNET,    /* Wormhole with a link: both chips of an n300 */
	METAL_ID_BOARD_PLACE, /* layout 1 */
	METAL_ID_UMD_PLACE,   /* Blackhole with links */
	METAL_ID_BOARD,	      /* Wormhole without links */
	METAL_ID_RULES,
};

/* Every id of every chip, sorted. */
struct metal_ids {
	struct metal_id {
		uint64_t id;
		enum metal_id_rule rule;
		size_t device; /* position in the snapshot */
	} * list;
	size_t count;
};

MUST_CHECK int metal_ids_init(struct metal_ids *ids, const struct snapshot *snapshot);
void metal_ids_done(struct metal_ids *ids);

/*
 * Does each of these chips have a greater unique id than the one before, by every rule that UMD may
 * have used for them? False also if an id is unknown.
 */
bool metal_ids_ascend(const struct snapshot *snapshot, const size_t *devices, size_t count);

/* The best match; NULL: no chip has this id. */
const struct metal_id *metal_ids_find(const struct metal_ids *ids, uint64_t id);
