/* The thresholds at which readings are a warning or critical: one table for all outputs. */
#pragma once

enum severity { SEVERITY_NORMAL, SEVERITY_WARNING, SEVERITY_CRITICAL };

enum threshold {
	THRESHOLD_TEMPERATURE, /* degrees above the limit, negative below it */
	THRESHOLD_POWER,       /* share of the limit */
	THRESHOLD_MEMORY,      /* share of the capacity */
};

enum severity threshold_judge(enum threshold threshold, double value);
