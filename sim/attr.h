/*
 * The driver's attribute files: which of them a device has, and their text.
 *
 * A file is a telemetry word and a format. The formats use the driver's own 32-bit arithmetic, so a
 * chip that is off the bus needs no special texts: its words are all ones.
 */
#pragma once

#include "basic/buf.h"
#include "machine.h"

enum attr_place {
	IN_CLASS,    /* …/tenstorrent/tenstorrent!N/ */
	IN_COUNTERS, /* …/tenstorrent/tenstorrent!N/pcie_perf_counters/ */
	IN_HWMON,    /* …/hwmon/hwmonK/ */
	IN_PCI,	     /* the PCI device itself */
};

enum attr_format {
	AS_DECIMAL,
	AS_HEX64,     /* this word and the next */
	AS_VERSION4,  /* A.B.C.D, a byte each */
	AS_VERSION3,  /* A.B.C, as Ethernet firmware packs it */
	AS_CARD_TYPE, /* name of the board */
	AS_CELSIUS,   /* 16.16 to thousandths */
	AS_MILLI,     /* times 1,000 */
	AS_MICRO,     /* times 1,000,000 */
	AS_HIGH_HALF,
	AS_COUNTER,
	AS_LABEL, /* a text for each architecture */
	AS_SPEED_NOW,
	AS_WIDTH_NOW,
	AS_SPEED_MAX,
	AS_WIDTH_MAX,
};

struct attr {
	const char *name;
	enum attr_place place;
	enum attr_format format;
	unsigned word; /* index of the telemetry word or the counter */
	/* first driver that has it, by architecture: 2007 is 2.7; 0: none */
	unsigned since[2];
	const char *label[2]; /* AS_LABEL */
	bool moves;	      /* its value changes even without a fault */
};

extern const struct attr attrs[];
extern const size_t attr_count;

/* Does the device have this file? */
bool attr_is_offered(const struct machine *m, const struct sim_device *d, const struct attr *a);

/* Does it have a hwmon directory at all? */
bool attr_has_hwmon(const struct machine *m, const struct sim_device *d);

/* Does the text change while the machine runs? */
bool attr_may_change(const struct machine *m, const struct sim_device *d, const struct attr *a);

/* Does reading it fail during a reset? */
bool attr_fails_in_reset(const char *path);

/* Its current text, including the newline. */
void attr_print(const struct machine *m, const struct sim_device *d, const struct attr *a,
		struct buf *out);
