/*
 * The driver's attributes: file, format, meaning, and what a dead chip makes of
 * them (kmd-abi 2 and 3). Text in, value into the device; no I/O.
 */
#pragma once

#include "model/device.h"

#include <stdbool.h>
#include <stddef.h>

enum place {
	IN_CLASS, /* /sys/class/tenstorrent/tenstorrent!N */
	IN_PCI,	  /* its device/ */
	IN_HWMON, /* its device/hwmon/hwmonK */
};

enum format {
	F_U32,	  /* decimal */
	F_SIGNED, /* decimal, hwmon and numa_node */
	F_WHOLE,  /* the same, of whole base units: what is no such multiple has wrapped */
	F_HEX64,  /* exactly 16 upper-case digits */
	F_HEX16,  /* 0x and four digits, or two */
	F_VER4,	  /* A.B.C.D, bytes */
	F_VER3,	  /* A.B.C, Ethernet packing */
	F_WORD,	  /* letters, digits, - and _ */
	F_SPEED,  /* "16.0 GT/s PCIe" -> generation */
	F_WIDTH,  /* lanes */
};

/*
 * How often it is worth reading. Constants and limits have their pace in every loop; the
 * others only if the caller asks for a low rate, and are read at every sample if not. What
 * has the same pace is read together.
 */
enum pace {
	ONCE,	  /* a constant */
	SELDOM,	  /* limits, which a message to firmware can change: every ten seconds */
	SLOWLY,	  /* the link, the fan: every five seconds */
	STEADILY, /* what rates are made of: every two seconds, half of what it takes to wrap */
	ALWAYS,	  /* what firmware measures anew ten times a second */
	PACE_N,
};

struct attribute {
	const char *file;
	enum place place;
	enum format format;
	enum device_field field;
	int scale;	  /* to base units: times this, or divided by it if negative */
	double low, high; /* plausible in base units; both 0: anything */
	const char *dead; /* what all-ones from a dead chip looks like */
	enum pace pace;
};

enum { N_ATTRIBUTES = 33 };
extern const struct attribute attributes[N_ATTRIBUTES];

/* Twelve more, alike but for their names: pcie_perf_counters/. */
extern const struct attribute counter_attributes[DEVICE_COUNTERS];

/* The attribute of a field that is no counter. */
const struct attribute *attribute_of(enum device_field field);

/* Is it read so often that its descriptor stays open? */
static inline bool attribute_is_kept(const struct attribute *attribute)
{
	return attribute->pace > SELDOM;
}

/* Is it the chip's firmware that answers, not the PCI core or a counter of the NoC? */
static inline bool attribute_is_telemetry(const struct attribute *attribute)
{
	return attribute->place != IN_PCI &&
	       (attribute->field < DEV_COUNTER || attribute->field > DEV_COUNTER_LAST);
}

/*
 * Stores the value of one line of text with its newline. The reason is KNOWN,
 * MALFORMED, IMPLAUSIBLE, NOT_ANSWERING or NOT_OFFERED; it is stored as well.
 */
enum reason attribute_parse(const struct attribute *attribute, const char *text,
			    struct device *dev);

/* "tenstorrent!12" -> 12. False: something else. */
bool attribute_parse_class_name(const char *name, uint32_t *ret_index);

/* "…/0000:01:00.0" -> a PCI address, lower-case hexadecimal. False: something else. */
bool attribute_parse_bdf(const char *link, char *bdf, size_t size);
