#include "render/format.h"

#include "basic/digits.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N_SUFFIXES = 6 };

static const struct {
	double step;
	const char *suffixes[N_SUFFIXES];
} all_units[UNITS_N] = {
	[UNITS_BINARY] = { 1024, { "B", "KB", "MB", "GB", "TB", "PB" } },
	[UNITS_IEC] = { 1024, { "B", "KiB", "MiB", "GiB", "TiB", "PiB" } },
	[UNITS_DECIMAL] = { 1000, { "B", "kB", "MB", "GB", "TB", "PB" } },
};

static enum units chosen;

void format_set_units(enum units units)
{
	chosen = units;
}

double format_unit_size(unsigned steps)
{
	double size = 1;

	while (steps--)
		size *= all_units[chosen].step;
	return size;
}

const char *format_unit_name(unsigned steps)
{
	return all_units[chosen].suffixes[steps];
}

/*
 * Scales the number below 1024 and returns the index of its unit. 1023.97 MB becomes 1.0 GB, not
 * 1024.0 MB.
 */
static unsigned scale(double *number)
{
	const double step = all_units[chosen].step;
	unsigned unit = 0;

	while (unit + 1 < N_SUFFIXES && *number >= step - (unit ? 0.05 : 0.5)) {
		*number /= step;
		unit++;
	}
	return unit;
}

void format_shortest(struct buf *out, double number)
{
	char text[32];

	for (int digits = 6; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, number);
		if (strtod(text, NULL) == number)
			break;
	}
	buf_puts(out, text);
}

static void put_digits(struct buf *out, uint64_t number)
{
	char digits[DIGITS_SIZE];

	buf_add(out, digits, (size_t)(digits_put(digits, number) - digits));
}

void format_whole(struct buf *out, double number)
{
	double size = number < 0 ? -number : number, rest;
	uint64_t whole;

	if (!(size < 1e15)) { /* also true for NAN */
		buf_printf(out, "%.0f", number);
		return;
	}
	whole = (uint64_t)size;
	rest = size - (double)whole;
	whole += rest > 0.5 || (rest >= 0.5 && whole % 2);
	if (number < 0 && whole)
		buf_putc(out, '-');
	put_digits(out, whole);
}

void format_tenths(struct buf *out, double number)
{
	enum { BITS = 53 }; /* the last one of a double from 0.5 on is worth 2^-53 or more */
	const uint64_t one = UINT64_C(1) << BITS;
	uint64_t whole, tenths, rest;

	bool is_nothing = number == 0 && !signbit(number);

	if (!is_nothing && !(number >= 0.5 && number < 1e15)) {
		buf_printf(out, "%.1f", number);
		return;
	}
	whole = (uint64_t)number;
	rest = (uint64_t)((number - (double)whole) * (double)one) * 10; /* exact */
	tenths = rest >> BITS;
	rest &= one - 1;
	tenths += rest > one / 2 || (rest == one / 2 && tenths % 2);
	put_digits(out, whole + tenths / 10);
	buf_putc(out, '.');
	buf_putc(out, (char)('0' + tenths % 10));
}

void format_celsius(struct buf *out, double degrees, bool utf8)
{
	format_whole(out, degrees);
	buf_puts(out, utf8 ? "°C" : "C");
}

void format_bar(struct buf *out, double full, size_t cells, bool utf8)
{
	size_t filled = (size_t)(full * (double)cells + 0.5);

	filled = MIN(filled, cells);
	buf_putc(out, '[');
	buf_repeat(out, utf8 ? "█" : "#", filled);
	buf_repeat(out, utf8 ? "░" : ".", cells - filled);
	buf_putc(out, ']');
}

/* A number that scale() has scaled: whole bytes, tenths of other units. */
static void put_scaled(struct buf *out, double number, unsigned unit)
{
	if (unit)
		format_tenths(out, number);
	else
		format_whole(out, number);
}

void format_bytes(struct buf *out, uint64_t bytes)
{
	double number = (double)bytes;
	unsigned unit = scale(&number);

	put_scaled(out, number, unit);
	buf_puts(out, format_unit_name(unit));
}

void format_bytes_brief(struct buf *out, uint64_t bytes)
{
	double number = (double)bytes;
	unsigned unit = scale(&number);

	put_scaled(out, number, number < 10 ? unit : 0);
	buf_puts(out, format_unit_name(unit));
}

void format_bytes_apart(struct buf *out, uint64_t bytes)
{
	double number = (double)bytes;
	unsigned unit = scale(&number);

	put_scaled(out, number, unit);
	buf_putc(out, ' ');
	buf_puts(out, format_unit_name(unit));
}

void format_bytes_fine(struct buf *out, uint64_t bytes)
{
	double number = (double)bytes;
	unsigned unit = scale(&number);

	buf_printf(out, unit ? "%.2f%s" : "%.0f%s", number, format_unit_name(unit));
}

void format_count(struct buf *out, uint64_t count)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)count);

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			buf_putc(out, ',');
		buf_putc(out, digits[i]);
	}
}

void format_span(struct buf *out, double seconds)
{
	if (seconds < 99.5)
		buf_printf(out, "%.0f s", seconds);
	else if (seconds < 99.5 * 60)
		buf_printf(out, "%.0f min", seconds / 60);
	else
		buf_printf(out, "%.0f h", seconds / 3600);
}

void format_rate(struct buf *out, double bytes_per_second)
{
	double number = bytes_per_second;
	unsigned unit = scale(&number);

	put_scaled(out, number, unit);
	buf_puts(out, format_unit_name(unit));
	buf_puts(out, "/s");
}

void format_duration(struct buf *out, double seconds)
{
	unsigned long long s = seconds > 0 ? (unsigned long long)seconds : 0;

	if (s >= 86400)
		buf_printf(out, "%llud %02llu:%02llu", s / 86400, s / 3600 % 24, s / 60 % 60);
	else if (s >= 3600)
		buf_printf(out, "%llu:%02llu:%02llu", s / 3600, s / 60 % 60, s % 60);
	else
		buf_printf(out, "%llu:%02llu", s / 60, s % 60);
}

void format_time(struct buf *out, double seconds)
{
	time_t whole = (time_t)seconds;
	char text[32];
	struct tm local;

	localtime_r(&whole, &local);
	strftime(text, sizeof(text), "%Y/%m/%d %H:%M:%S", &local);
	buf_puts(out, text);
}

static void format_number(struct buf *out, const struct value *value, bool units)
{
	const struct unit_info *unit = &unit_infos[value->field->unit];

	buf_printf(out, "%.*f", unit->csv_digits, value->number / unit->csv_scale);
	if (units && unit->csv)
		buf_printf(out, " %s", unit->csv);
}

void format_value(struct buf *out, const struct value *value, bool units)
{
	switch (value->field->kind) {
	case K_STRING:
	case K_ENUM:
	case K_TEXT: buf_puts(out, value->text); break;
	case K_HEX64: buf_printf(out, "%016llX", (unsigned long long)value->exact); break;
	case K_HEX16: buf_printf(out, "0x%04llx", (unsigned long long)value->exact); break;
	case K_BOOL: buf_puts(out, value->exact ? "yes" : "no"); break;
	case K_U32:
	case K_U64:
	case K_I32:
	case K_DOUBLE:
		if (value->field->unit == U_TIME)
			format_time(out, value->number);
		else
			format_number(out, value, units);
		break;
	case K_NEVER: break;
	}
}

void format_reading(struct buf *out, const struct value *value, bool utf8)
{
	switch (value->field->unit) {
	case U_BYTE: format_bytes(out, value->exact); break;
	case U_BYTE_RATE: format_rate(out, value->number); break;
	case U_SECOND: format_duration(out, value->number); break;
	case U_CELSIUS: format_celsius(out, value->number, utf8); break;
	case U_NONE:
	case U_WATT:
	case U_VOLT:
	case U_AMPERE:
	case U_HERTZ:
	case U_RPM:
	case U_RATIO:
	case U_PER_SECOND:
	case U_TIME:
	case U_JOULE:
	case U_N: format_value(out, value, true); break;
	}
}
