/*
 * The cards' serial numbers, for outputs that do not show them: they are read only if a file in
 * /dev/shm is named by another id than the ASIC id of a chip. All other ids follow from serial
 * numbers (source/metal_id.h).
 */
#pragma once

#include "basic/macros.h"
#include "source/card.h"
#include "source/source.h"

#include <stdbool.h>
#include <stddef.h>

/* To be asked when the ASIC ids are read. */
bool card_serials_are_needed(struct card *const *cards, size_t count, const struct sample *sample);

/*
 * Reads those of the cards whose job has finished, in jobs of the same kind; in later samples they
 * are read with everything else.
 */
MUST_CHECK int card_serials_read(struct card *const *cards, size_t count, struct sample *sample);
