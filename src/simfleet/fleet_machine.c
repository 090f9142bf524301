#include "simfleet/fleet_machine.h"

#include "basic/parse.h"

#include <stdio.h>
#include <string.h>

enum { MACHINES_PER_RACK = 8, FAULT_PERIOD = 25 };

const char *const fleet_fault_names[FLEET_FAULTS] = {
	[FLEET_NO_FAULT] = "none",   [FLEET_DOWN] = "down",   [FLEET_HOT] = "hot",
	[FLEET_MISSING] = "missing", [FLEET_DIRTY] = "dirty", [FLEET_NARROW] = "narrow",
};

enum fleet_fault fleet_machine_fault(unsigned number)
{
	switch (number % FAULT_PERIOD) {
	case 5: return FLEET_DOWN;
	case 10: return FLEET_HOT;
	case 15: return FLEET_MISSING;
	case 20: return FLEET_DIRTY;
	case 0: return FLEET_NARROW;
	default: return FLEET_NO_FAULT;
	}
}

void fleet_machine_name(unsigned number, char ret[static FLEET_NAME])
{
	snprintf(ret, FLEET_NAME, "node%04u", number);
}

void fleet_machine_rack(unsigned number, char ret[static FLEET_NAME])
{
	snprintf(ret, FLEET_NAME, "rack%03u", (number - 1) / MACHINES_PER_RACK + 1);
}

unsigned fleet_machine_find(const char *name, size_t length)
{
	char text[FLEET_NAME], canonical[FLEET_NAME];
	uint32_t number;

	if (length >= sizeof(text) || length < 4 || memcmp(name, "node", 4) != 0)
		return 0;
	memcpy(text, name, length);
	text[length] = '\0';
	if (parse_u32(text + 4, &number) < 0 || number > MAX_FLEET)
		return 0;
	fleet_machine_name(number, canonical);
	return strcmp(text, canonical) == 0 ? number : 0;
}
