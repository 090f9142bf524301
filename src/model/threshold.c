#include "model/threshold.h"

static const struct {
	double warning, critical; /* minimum values of each severity */
} thresholds[] = {
	[THRESHOLD_TEMPERATURE] = { -10, 0 },
	[THRESHOLD_POWER] = { 0.9, 1 },
	[THRESHOLD_MEMORY] = { 0.75, 0.9 },
};

enum severity threshold_judge(enum threshold threshold, double value)
{
	if (value >= thresholds[threshold].critical)
		return SEVERITY_CRITICAL;
	return value >= thresholds[threshold].warning ? SEVERITY_WARNING : SEVERITY_NORMAL;
}
