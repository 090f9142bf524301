/* The limits of measured values, at which they are a warning or critical. */
#pragma once

#include "basic/buf.h"

#include <stdbool.h>

enum alarm {
	ALARM_TEMPERATURE, /* degrees below the chip's own limit */
	ALARM_POWER,	   /* percent of the chip's own limit */
	ALARM_TRIPS,
	ALARM_CORRECTABLE,
	ALARM_NONFATAL,
	ALARM_FATAL,
	ALARMS,
};

/* A value that reaches one is a warning, or critical. NAN: none. */
struct alarms {
	double warning[ALARMS], critical[ALARMS];
};

struct alarms alarms_default(void);

/* A line for each: its name, defaults and meaning. */
void alarms_put_help(struct buf *out);

/* "NAME=NUMBER", or "NAME=none". False: it is not one. */
bool alarms_set(double values[static ALARMS], const char *text);
