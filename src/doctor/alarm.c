#include "doctor/alarm.h"

#include "basic/macros.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Fatal errors are a warning, although the link was down: resetting a card causes some at the port
 * above it, and the counters keep them until the next boot.
 */
static const struct {
	const char *name, *help;
	double warning, critical;
} table[ALARMS] = {
	[ALARM_TEMPERATURE] = { "temperature", "degrees below the chip's own limit", 5, 0 },
	[ALARM_POWER] = { "power", "percent of the chip's own limit", 110, NAN },
	[ALARM_TRIPS] = { "trips", "thermal shutdowns since power-on", 1, NAN },
	[ALARM_CORRECTABLE] = { "correctable", "corrected PCIe errors since boot", 1000, NAN },
	[ALARM_NONFATAL] = { "nonfatal", "PCIe errors that lost a request", 1, NAN },
	[ALARM_FATAL] = { "fatal", "PCIe errors that broke the link", 1, NAN },
};

static void put_default(struct buf *out, double limit)
{
	if (isnan(limit))
		buf_puts(out, " none");
	else
		buf_printf(out, " %g", limit);
}

void alarms_put_help(struct buf *out)
{
	for (size_t i = 0; i < ALARMS; i++) {
		buf_printf(out, "  %-13s%s: warning", table[i].name, table[i].help);
		put_default(out, table[i].warning);
		buf_puts(out, ", critical");
		put_default(out, table[i].critical);
		buf_putc(out, '\n');
	}
}

struct alarms alarms_default(void)
{
	struct alarms alarms;

	for (size_t i = 0; i < ALARMS; i++) {
		alarms.warning[i] = table[i].warning;
		alarms.critical[i] = table[i].critical;
	}
	return alarms;
}

bool alarms_set(double values[static ALARMS], const char *text)
{
	const char *equals = strchr(text, '=');
	double number = NAN;
	char *end;

	if (!equals)
		return false;
	if (strcmp(equals + 1, "none") != 0) {
		if (!strchr("0123456789.-", equals[1]) || !equals[1])
			return false;
		number = strtod(equals + 1, &end);
		if (*end || !isfinite(number))
			return false;
	}
	for (size_t i = 0; i < ALARMS; i++) {
		if (strlen(table[i].name) != (size_t)(equals - text) ||
		    strncmp(table[i].name, text, strlen(table[i].name)) != 0)
			continue;
		values[i] = number;
		return true;
	}
	return false;
}
