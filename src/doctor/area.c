#include "doctor/area.h"

#include "basic/macros.h"

#include <string.h>

static const struct {
	const char *name, *heading;
} areas[AREAS] = {
	[AREA_DRIVER] = { "driver", "Driver" },
	[AREA_DEVICES] = { "devices", "Devices" },
	[AREA_FIRMWARE] = { "firmware", "Devices" },
	[AREA_TEMPERATURE] = { "temperature", "Devices" },
	[AREA_POWER] = { "power", "Devices" },
	[AREA_PCIE] = { "pcie", "Devices" },
	[AREA_DIRTY] = { "dirty", "Devices" },
	[AREA_PERMISSIONS] = { "permissions", "Permissions" },
	[AREA_HUGE_PAGES] = { "hugepages", "Huge pages" },
	[AREA_KERNEL] = { "kernel", "Kernel log" },
	[AREA_IDLE] = { "idle", "Use" },
	[AREA_SERVER] = { "server", "Allocation server" },
	[AREA_TRACING] = { "tracing", "Tracing" },
	[AREA_PROCESSES] = { "processes", "Processes" },
	[AREA_UTILIZATION] = { "utilization", "Utilization" },
};

const char *area_name(enum area area)
{
	return areas[area].name;
}

const char *area_heading(enum area area)
{
	return areas[area].heading;
}

static enum area find_area(const char *name, size_t length)
{
	enum area area = 0;

	while (area < AREAS &&
	       (!(AREAS_ALL & AREA_BIT(area)) || strlen(areas[area].name) != length ||
		strncmp(areas[area].name, name, length) != 0))
		area++;
	return area;
}

bool areas_parse(const char *list, unsigned *ret, struct buf *ret_bad)
{
	for (;;) {
		size_t length = strcspn(list, ",");
		enum area area = find_area(list, length);

		if (area == AREAS) {
			buf_add(ret_bad, list, length);
			return false;
		}
		*ret |= AREA_BIT(area);
		if (!list[length])
			return true;
		list += length + 1;
	}
}

void areas_put_names(struct buf *out, unsigned wanted)
{
	const char *separator = "";

	for (enum area area = 0; area < AREAS; area++) {
		if (!(wanted & AREA_BIT(area)))
			continue;
		buf_printf(out, "%s%s", separator, areas[area].name);
		separator = ", ";
	}
}

void areas_put_help(struct buf *out)
{
	buf_puts(out, "\nHealth areas: ");
	areas_put_names(out, AREAS_HEALTH & (AREA_BIT(AREA_PCIE) - 1));
	buf_puts(out, ",\n  ");
	areas_put_names(out, AREAS_HEALTH & ~(AREA_BIT(AREA_PCIE) - 1));
	buf_puts(out, "\nMonitoring areas: ");
	areas_put_names(out, AREAS_ALL & ~AREAS_HEALTH);
	buf_putc(out, '\n');
}
