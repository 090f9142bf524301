#include "tui/tui.h"

/*
 * What all views show. Charts run before they are seen, so their readings are always
 * read; what only the view of one device shows is not.
 */
static const enum device_field shown[] = {
	DEV_BOARD,   DEV_SERIAL,      DEV_ASIC_ID,   DEV_TEMPERATURE,  DEV_TEMPERATURE_LIMIT,
	DEV_POWER,   DEV_POWER_LIMIT, DEV_AICLK,     DEV_LINK_GEN,     DEV_LINK_WIDTH,
	DEV_FAN_RPM, DEV_HEARTBEAT,   DEV_FW_BUNDLE, DEV_LINK_GEN_MAX,
};

void view_wants(enum view view, struct want *want)
{
	want->paced = true;
	if (view == VIEW_DEVICE) {
		want_everything(want);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
		fieldset_add(&want->device, shown[i]);
	for (unsigned i = 0; i < DEVICE_COUNTERS; i++)
		fieldset_add(&want->device, DEV_COUNTER + i);
	memset(&want->process, 0xFF, sizeof(want->process));
	want->processes = want->memory = want->utilization = true;
	want->allocations = want->reporters = view == VIEW_MEMORY;
}
