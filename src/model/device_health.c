#include "model/device_health.h"

#include "basic/text.h"

#include <stdio.h>

enum severity device_temperature_severity(const struct device *dev)
{
	if (!device_knows(dev, DEV_TEMPERATURE_HEADROOM))
		return SEVERITY_NORMAL;
	return threshold_judge(THRESHOLD_TEMPERATURE, -dev->temperature_headroom);
}

enum severity device_power_severity(const struct device *dev)
{
	if (!device_knows(dev, DEV_POWER) || !device_knows(dev, DEV_POWER_LIMIT) ||
	    dev->power_limit <= 0)
		return SEVERITY_NORMAL;
	return threshold_judge(THRESHOLD_POWER, dev->power / dev->power_limit);
}

unsigned device_troubles(const struct device *dev)
{
	unsigned troubles = 0;

	if (device_knows(dev, DEV_ALIVE) && !dev->alive)
		troubles |= TROUBLE_STALLED;
	if (device_temperature_severity(dev) == SEVERITY_CRITICAL)
		troubles |= TROUBLE_HOT;
	if (device_power_severity(dev) == SEVERITY_CRITICAL)
		troubles |= TROUBLE_POWER;
	if (device_knows(dev, DEV_THERMAL_TRIPS) && dev->thermal_trips > 0)
		troubles |= TROUBLE_TRIPPED;
	return troubles;
}

static const char firmware_not_alive[] = "firmware not alive";

/* Health in one word: the state of the chip, or else its most urgent problem. */
static const char *health_text(const struct device *dev)
{
	unsigned troubles = device_troubles(dev);

	if (dev->state != DEVICE_OK)
		return device_state_names[dev->state];
	if (troubles & TROUBLE_STALLED)
		return firmware_not_alive;
	if (troubles & TROUBLE_HOT)
		return "at temperature limit";
	if (troubles & TROUBLE_POWER)
		return "at power limit";
	if (troubles & TROUBLE_TRIPPED)
		return "thermal shutdown happened";
	return "ok";
}

void device_judge(struct device *dev)
{
	text_copy(dev->health, sizeof(dev->health), health_text(dev));
	if (dev->state == DEVICE_OTHER_DRIVER)
		snprintf(dev->health, sizeof(dev->health), "bound to %s", dev->driver);
	dev->why[DEV_STATE] = dev->why[DEV_HEALTH] = KNOWN;
}

bool device_is_stalled(const struct device *dev)
{
	return dev->state == DEVICE_OK && device_knows(dev, DEV_ALIVE) && !dev->alive;
}

bool device_is_failing(const struct device *dev)
{
	switch (dev->state) {
	case DEVICE_RESETTING:
	case DEVICE_TIMED_OUT:
	case DEVICE_NOT_ANSWERING:
	case DEVICE_LOST: return true;
	case DEVICE_NO_DRIVER:
	case DEVICE_OTHER_DRIVER: return device_has_node(dev); /* it had its own driver before */
	case DEVICE_OK:
	case DEVICE_NO_TELEMETRY:
	case DEVICE_UNREADABLE: break;
	}
	return device_is_stalled(dev);
}

const char *device_condition_text(const struct device *dev)
{
	if (dev->state == DEVICE_OTHER_DRIVER)
		return dev->health; /* includes the name of the driver */
	if (dev->state != DEVICE_OK)
		return device_state_text(dev->state);
	return device_is_stalled(dev) ? firmware_not_alive : "";
}

const char *device_condition_word(const struct device *dev)
{
	return device_is_stalled(dev) ? "stuck" : device_state_word(dev->state);
}
