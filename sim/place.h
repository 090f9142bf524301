/* The directory that the machine is created in. */
#pragma once

#include "basic/macros.h"
#include "machine.h"

#include <stdbool.h>

struct place {
	char path[1024]; /* absolute */
	bool made;	 /* it did not exist before */
};

/*
 * Opens an empty or new directory, or for NULL a new temporary one, as the root. -errno after an
 * error on stderr.
 */
MUST_CHECK int place_open(struct place *ret, const char *directory, struct tree *root);

/* Writes the marker file DIR/simulated, with our pid, once everything else exists. */
MUST_CHECK int place_mark(struct machine *m);

void place_close(struct place *place, struct tree *root);
