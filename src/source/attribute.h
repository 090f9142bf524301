/*
 * The driver's attributes: file, format, meaning, and their content when the chip is dead. A text
 * is parsed into a member of the device; no I/O.
 */
#pragma once

#include "model/device.h"

#include <stdbool.h>
#include <stddef.h>

enum place {
	IN_CLASS, /* /sys/class/tenstorrent/tenstorrent!N */
	IN_PCI,	  /* its device/ */
	IN_HWMON, /* its device/hwmon/hwmonK */
	IN_PORT,  /* the port above device/ */
};

enum format {
	F_U32,	  /* decimal */
	F_SIGNED, /* decimal, hwmon and numa_node */
	F_WHOLE,  /* decimal; a value that is not a multiple of the base unit has overflowed */
	F_HEX64,  /* exactly 16 upper-case digits */
	F_HEX16,  /* 0x and four digits, or two */
	F_VER4,	  /* A.B.C.D, bytes */
	F_VER3,	  /* A.B.C, Ethernet packing */
	F_WORD,	  /* letters, digits, - and _ */
	F_SPEED,  /* "16.0 GT/s PCIe" -> generation */
	F_WIDTH,  /* lanes */
	F_ERRORS, /* a line "NAME COUNT" for each kind of error, "TOTAL_ERR_… COUNT" the last */
};

/*
 * How often it needs to be read. Constants and limits have their interval in every loop; the others
 * are read in every sample unless the caller requests a low rate. Attributes with the same interval
 * are read together.
 */
enum read_interval {
	READ_ONCE,    /* a constant */
	EVERY_10_S,   /* limits, which a message to firmware can change */
	EVERY_5_S,    /* the link, the fan */
	EVERY_2_S,    /* counters for rates, which wrap after 4.3 seconds */
	EVERY_SAMPLE, /* what firmware measures ten times a second */
	READ_INTERVALS,
};

struct attribute {
	const char *file;
	enum place place;
	enum format format;
	enum device_field field;
	int scale;	  /* factor to base units, or divisor if negative */
	double low, high; /* plausible range in base units; both 0: any value */
	const char *dead; /* its text if the chip is dead and reads as all ones */
	enum read_interval interval;
};

enum {
	N_ATTRIBUTES = 41,
	ATTRIBUTE_TEXT_MAX = 1024, /* the longest text, that of F_ERRORS, has about 500 */
};
extern const struct attribute attributes[N_ATTRIBUTES];

/* Twelve more, which differ in their names only: pcie_perf_counters/. */
extern const struct attribute counter_attributes[DEVICE_COUNTERS];

enum { N_ATTRIBUTE_FILES = N_ATTRIBUTES + DEVICE_COUNTERS };

/* By position in both tables, the counters last. */
static inline const struct attribute *attribute_at(size_t at)
{
	return at < N_ATTRIBUTES ? &attributes[at] : &counter_attributes[at - N_ATTRIBUTES];
}

/* The attribute of a field that is not a counter. */
const struct attribute *attribute_of(enum device_field field);

/* Is it read often enough to keep its descriptor open? */
static inline bool attribute_is_kept(const struct attribute *attribute)
{
	return attribute->interval > EVERY_10_S;
}

/* Does its value come from the chip's firmware, rather than from the PCI core or a NoC counter? */
static inline bool attribute_is_telemetry(const struct attribute *attribute)
{
	return (attribute->place == IN_CLASS || attribute->place == IN_HWMON) &&
	       (attribute->field < DEV_COUNTER || attribute->field > DEV_COUNTER_LAST);
}

/* Is it a file of the port above the device? */
static inline bool attribute_is_upstream(const struct attribute *attribute)
{
	return attribute->place == IN_PORT;
}

/*
 * Stores the value of one line of text with its newline, or of the lines of F_ERRORS. The reason is
 * KNOWN, MALFORMED, IMPLAUSIBLE, NOT_ANSWERING or NOT_OFFERED; it is stored as well.
 */
enum reason attribute_parse(const struct attribute *attribute, const char *text,
			    struct device *dev);

/* "tenstorrent!12" -> 12. False: something else. */
bool attribute_parse_class_name(const char *name, uint32_t *ret_index);

/*
 * "…/0000:00:01.0/0000:01:00.0/…" and the second address -> the first one, that of the port above
 * it. KNOWN; NOT_APPLICABLE: it is attached to the root complex; MALFORMED: it is not in the path.
 */
enum reason attribute_parse_upstream(const char *path, const char *bdf, char *ret, size_t size);

/* "…/0000:01:00.0" -> a PCI address, lower-case hexadecimal. False: something else. */
bool attribute_parse_bdf(const char *link, char *bdf, size_t size);
