/* Values as people read them. */
#pragma once

#include "basic/buf.h"
#include "model/field.h"

#include <stdint.h>

/* How amounts of memory are written. */
enum units {
	UNITS_BINARY,  /* GB of 1024 MB, as the first tool had them */
	UNITS_IEC,     /* the same, called GiB */
	UNITS_DECIMAL, /* GB of 1000 MB */
	UNITS_N,
};

/* For all that follows; the first is the default. To be called by the thread that formats. */
void format_set_units(enum units units);

/* Bytes in so many steps of the unit (1: KB, 2: MB, 3: GB), and its name. */
double format_unit_size(unsigned steps);
const char *format_unit_name(unsigned steps);

/* To the nearest whole number, half ones to the even one: as "%.0f", in a tenth of the time. */
void format_whole(struct buf *out, double number);

/* "2.4GB", "800.0MB", "0B" */
void format_bytes(struct buf *out, uint64_t bytes);

/* "2.40GB": two digits after the point. */
void format_bytes_fine(struct buf *out, uint64_t bytes);

/* "1,204" */
void format_count(struct buf *out, uint64_t count);

/* "2.5GB/s" */
void format_rate(struct buf *out, double bytes_per_second);

/* "1:02:11", "12:40", "0:07", "3d 01:02" */
void format_duration(struct buf *out, double seconds);

/* "40 s", "10 min", "3 h": how long something took, roughly. */
void format_span(struct buf *out, double seconds);

/*
 * A value in the unit of its field, for CSV: "150.00 W", or "150.00" without
 * units. Text comes as it is, uncleaned. The value must be known.
 */
void format_value(struct buf *out, const struct value *value, bool units);

/* The same for people: always with its unit, and with the one that is handy. */
void format_reading(struct buf *out, const struct value *value, bool utf8);
