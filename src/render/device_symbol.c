#include "render/device_symbol.h"

#include "model/device_health.h"

enum { SYMBOL_TROUBLED, SYMBOL_LIMIT, SYMBOL_OPEN, SYMBOL_FREE, SYMBOL_UNSEEN, SYMBOL_UNREADABLE };

const struct device_symbol device_symbols[] = {
	[SYMBOL_TROUBLED] = { "!", "!", "no current readings: the last ones are shown" },
	[SYMBOL_LIMIT] = { "^", "^", "at its temperature or power limit" },
	[SYMBOL_OPEN] = { "●", "*", "a process has it open" },
	[SYMBOL_FREE] = { "·", ".", "no process has it open" },
	[SYMBOL_UNSEEN] = { "?", "?", "unknown which processes have it open" },
	[SYMBOL_UNREADABLE] = { "-", "-", "not readable: no PCIe, or no driver" },
	{ "D63%", "D63%", "63 percent of DRAM in use" },
	{ "b64%", "b64%", "in the grid: busy for 64 percent of the time" },
	{ "≥", ">=", "lower bound: not every process is tracked" },
};
const size_t n_device_symbols = ARRAY_SIZE(device_symbols);

static unsigned choose_symbol(const struct device *dev, enum style *ret_style)
{
	*ret_style = STYLE_BAD;
	if (device_is_failing(dev))
		return SYMBOL_TROUBLED;
	if (device_temperature_severity(dev) == SEVERITY_CRITICAL ||
	    device_power_severity(dev) == SEVERITY_CRITICAL)
		return SYMBOL_LIMIT;
	*ret_style = STYLE_GOOD;
	if (device_knows(dev, DEV_PROCESSES) && dev->processes)
		return SYMBOL_OPEN;
	*ret_style = STYLE_DIM;
	if (!device_has_node(dev))
		return SYMBOL_UNREADABLE;
	return dev->holders_known ? SYMBOL_FREE : SYMBOL_UNSEEN;
}

const char *device_symbol(const struct device *dev, bool utf8, enum style *ret_style)
{
	const struct device_symbol *symbol = &device_symbols[choose_symbol(dev, ret_style)];

	return utf8 ? symbol->utf8 : symbol->ascii;
}
