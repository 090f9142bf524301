/* The chips of some machines of a fleet: those of a page of the screen. */
#pragma once

#include "basic/macros.h"

#include <stddef.h>

enum chip_value {
	CHIP_UP,
	CHIP_TEMPERATURE,
	CHIP_LIMIT, /* the temperature at which it slows down */
	CHIP_POWER,
	CHIP_DRAM_USED,
	CHIP_DRAM_SIZE,
	CHIP_HOLDERS, /* processes of jobs that have it open */
	CHIP_QUIET,   /* seconds without a sign of work */
	CHIP_VALUES,
};

struct fleet_chip {
	char *device;		    /* its index on the machine */
	double values[CHIP_VALUES]; /* NAN: unknown */
};

struct chip_row {
	char *instance; /* of the machine */
	struct fleet_chip *chips;
	size_t count;
};

struct chip_page {
	struct chip_row *rows;
	size_t count;
};

void chip_page_done(struct chip_page *page);

/* Sets a value of a chip, which is added if it is new. -ENOMEM. */
MUST_CHECK int chip_page_set(struct chip_page *page, const char *instance, const char *device,
			     enum chip_value which, double value);

/* Chips by their number. */
void chip_page_sort(struct chip_page *page);

/* The chips of a machine; NULL: it is not on the page. */
const struct chip_row *chip_page_find(const struct chip_page *page, const char *instance);
