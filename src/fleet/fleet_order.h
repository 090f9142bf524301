/* The orders in which the machines of a fleet are shown. */
#pragma once

enum fleet_order {
	ORDER_ATTENTION, /* without data first, then by number of alerts, then by temperature */
	ORDER_NAME,
	ORDER_TEMPERATURE, /* these from the highest to the lowest */
	ORDER_POWER,
	ORDER_DRAM, /* the used share */
	ORDERS,
};

struct fleet_order_row {
	const char *name;
	int (*compare)(const void *a, const void *b); /* of struct fleet_machine; for qsort() */
};

/* Machines that are equal, or unknown, are in the order of their names, unknown ones last. */
extern const struct fleet_order_row fleet_orders[ORDERS];
