#include "render/device_style.h"

#include "model/device_health.h"

static enum style severity_style(enum severity severity)
{
	switch (severity) {
	case SEVERITY_NORMAL: break;
	case SEVERITY_WARNING: return STYLE_WARN;
	case SEVERITY_CRITICAL: return STYLE_BAD;
	}
	return STYLE_PLAIN;
}

enum style device_temperature_style(const struct device *dev)
{
	return device_knows(dev, DEV_TEMPERATURE) ? severity_style(device_temperature_severity(dev))
						  : STYLE_DIM;
}

enum style device_power_style(const struct device *dev)
{
	return device_knows(dev, DEV_POWER) ? severity_style(device_power_severity(dev))
					    : STYLE_DIM;
}

enum style memory_style(double share)
{
	enum severity severity = threshold_judge(THRESHOLD_MEMORY, share);

	if (share < 0)
		return STYLE_DIM;
	return severity == SEVERITY_NORMAL ? STYLE_GOOD : severity_style(severity);
}

enum style device_condition_style(const struct device *dev)
{
	switch (dev->state) {
	case DEVICE_OK:
		return STYLE_BAD; /* the state is known, but the firmware's heartbeat has stopped */
	case DEVICE_NO_TELEMETRY:
	case DEVICE_UNREADABLE: return STYLE_DIM;
	case DEVICE_RESETTING: return STYLE_WARN;
	case DEVICE_NO_DRIVER:
	case DEVICE_OTHER_DRIVER: return device_is_unserved(dev) ? STYLE_WARN : STYLE_BAD;
	case DEVICE_TIMED_OUT:
	case DEVICE_NOT_ANSWERING:
	case DEVICE_LOST: break;
	}
	return STYLE_BAD;
}
