/* The readings of a device that charts show. */
#pragma once

#include "model/device.h"

enum metric {
	METRIC_DRAM,
	METRIC_POWER,
	METRIC_TEMPERATURE,
	METRIC_AICLK,
	METRIC_PCIE_IN,
	METRIC_PCIE_OUT,
	METRIC_L1,
	METRIC_COMPUTE,
	METRIC_N,
};

/* The lowest and the highest value within some time, in the unit of the chart. */
struct metric_range {
	double low, high;
};

struct metric_info {
	const char *title, *unit,
		*ascii; /* no unit for bytes; ascii: the unit in ASCII characters */
	enum device_field field,
		limit;	/* limit: the top of the chart; the same as field if there is none */
	double scale;	/* units of the field per unit of the chart */
	unsigned bytes; /* 2: MB, 3: GB, as in format_unit_size(); 0: not bytes */
	bool rate;	/* per second */
	double step;	/* without a limit, the top is a multiple of this */
};

extern const struct metric_info metric_infos[METRIC_N];

/* Names in the settings. */
extern const char *const metric_names[METRIC_N];
