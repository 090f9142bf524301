#include "render/device_sign.h"

enum { SIGN_TROUBLED, SIGN_LIMIT, SIGN_OPEN, SIGN_FREE, SIGN_UNSEEN, SIGN_UNREADABLE };

const struct sign sign_infos[] = {
	[SIGN_TROUBLED] = { "!", "!", "no current readings: the last ones are shown" },
	[SIGN_LIMIT] = { "^", "^", "at its temperature or power limit" },
	[SIGN_OPEN] = { "●", "*", "a process has it open" },
	[SIGN_FREE] = { "·", ".", "no process has it open" },
	[SIGN_UNSEEN] = { "?", "?", "unknown which processes have it open" },
	[SIGN_UNREADABLE] = { "-", "-", "not readable: no PCIe, or no driver" },
	{ "D63%", "D63%", "63 percent of DRAM in use" },
	{ "b64%", "b64%", "in the grid: busy for 64 percent of the time" },
	{ "≥", ">=", "lower bound: not every process is tracked" },
};
const size_t n_sign_infos = ARRAY_SIZE(sign_infos);

static unsigned choose_sign(const struct device *dev, enum style *ret_style)
{
	*ret_style = STYLE_BAD;
	if (device_is_failing(dev))
		return SIGN_TROUBLED;
	if (device_temperature_severity(dev) == SEVERITY_CRITICAL ||
	    device_power_severity(dev) == SEVERITY_CRITICAL)
		return SIGN_LIMIT;
	*ret_style = STYLE_GOOD;
	if (device_knows(dev, DEV_PROCESSES) && dev->processes)
		return SIGN_OPEN;
	*ret_style = STYLE_DIM;
	if (!device_has_node(dev))
		return SIGN_UNREADABLE;
	return dev->holders_known ? SIGN_FREE : SIGN_UNSEEN;
}

const char *device_sign(const struct device *dev, bool utf8, enum style *ret_style)
{
	const struct sign *sign = &sign_infos[choose_sign(dev, ret_style)];

	return utf8 ? sign->sign : sign->ascii;
}
