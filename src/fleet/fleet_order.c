#include "fleet/fleet_order.h"

#include "fleet/machine.h"

#include <math.h>
#include <string.h>

static int compare_names(const void *a, const void *b)
{
	const struct fleet_machine *first = a, *second = b;

	return strverscmp(first->instance, second->instance);
}

/* Unknown ones come last. */
static int compare_down(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return (a < b) - (a > b);
}

static int compare_values(const struct fleet_machine *first, const struct fleet_machine *second,
			  enum machine_value value)
{
	int order = compare_down(first->values[value], second->values[value]);

	return order ? order : compare_names(first, second);
}

static int compare_temperatures(const void *a, const void *b)
{
	return compare_values(a, b, MACHINE_TEMPERATURE);
}

static int compare_power(const void *a, const void *b)
{
	return compare_values(a, b, MACHINE_POWER);
}

static int compare_dram(const void *a, const void *b)
{
	/* negative if unknown */
	int order = compare_down(machine_dram_share(a), machine_dram_share(b));

	return order ? order : compare_names(a, b);
}

static int compare_attention(const void *a, const void *b)
{
	const struct fleet_machine *first = a, *second = b;
	int order = first->has_data - second->has_data;

	if (order == 0)
		order = (first->n_alerts < second->n_alerts) - (first->n_alerts > second->n_alerts);
	return order ? order : compare_temperatures(a, b);
}

const struct fleet_order_row fleet_orders[ORDERS] = {
	[ORDER_ATTENTION] = { "alerts", compare_attention },
	[ORDER_NAME] = { "name", compare_names },
	[ORDER_TEMPERATURE] = { "temperature", compare_temperatures },
	[ORDER_POWER] = { "power", compare_power },
	[ORDER_DRAM] = { "used DRAM", compare_dram },
};
