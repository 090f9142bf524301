/* Formats values for human readers. */
#pragma once

#include "basic/buf.h"
#include "model/field.h"

#include <stdint.h>

/* Units for amounts of memory. */
enum units {
	UNITS_BINARY,  /* GB of 1024 MB, as in the original tt_smi */
	UNITS_IEC,     /* the same sizes, called GiB */
	UNITS_DECIMAL, /* GB of 1000 MB */
	UNITS_N,
};

/*
 * Applies to all functions below; UNITS_BINARY is the default. Call it from the thread that
 * formats.
 */
void format_set_units(enum units units);

/* Size in bytes and name of a unit (1: KB, 2: MB, 3: GB). */
double format_unit_size(unsigned steps);
const char *format_unit_name(unsigned steps);

/* Rounds to the nearest integer, ties to even: the result of "%.0f" in a tenth of its time. */
void format_whole(struct buf *out, double number);

/* Rounds to one decimal place: the result of "%.1f", likewise. */
void format_tenths(struct buf *out, double number);

/* The shortest text that reads back as the same number, for programs. It must be finite. */
void format_shortest(struct buf *out, double number);

/* "65°C", or "65C" */
void format_celsius(struct buf *out, double degrees, bool utf8);

/* "[███░]" or "[###.]", with this number of cells; full: the filled share, 0 to 1 */
void format_bar(struct buf *out, double full, size_t cells, bool utf8);

/* "2.4GB", "800.0MB", "0B" */
void format_bytes(struct buf *out, uint64_t bytes);

/* "2.4GB", "38MB": decimal places only below 10. */
void format_bytes_brief(struct buf *out, uint64_t bytes);

/* "2.4 GB" */
void format_bytes_apart(struct buf *out, uint64_t bytes);

/* "2.40GB": two decimal places. */
void format_bytes_fine(struct buf *out, uint64_t bytes);

/* "1,204" */
void format_count(struct buf *out, uint64_t count);

/* "2.5GB/s" */
void format_rate(struct buf *out, double bytes_per_second);

/* "1:02:11", "12:40", "0:07", "3d 01:02" */
void format_duration(struct buf *out, double seconds);

/* "2026/11/18 09:04:32": a Unix time, in the local time zone. */
void format_time(struct buf *out, double seconds);

/* "40 s", "10 min", "3 h": an approximate duration. */
void format_span(struct buf *out, double seconds);

/*
 * A value in the unit of its field, for CSV: "150.00 W", or "150.00" without units. Control
 * characters in text are kept. The value must be known.
 */
void format_value(struct buf *out, const struct value *value, bool units);

/* A value for human readers: always with a unit, scaled to a convenient one. */
void format_reading(struct buf *out, const struct value *value, bool utf8);
