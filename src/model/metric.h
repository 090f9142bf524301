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

struct metric_info {
	const char *title, *unit;	/* of bytes, what follows them: "/s" */
	enum device_field field, limit; /* limit: the top of the chart; equal if there is none */
	double scale;			/* units of the field in one unit of the chart */
	unsigned bytes; /* 2: MB, 3: GB, as format_unit_size() has it; 0: no bytes */
	double step;	/* tops are multiples of it where there is no limit */
};

extern const struct metric_info metric_infos[METRIC_N];

/* In the settings. */
extern const char *const metric_names[METRIC_N];
