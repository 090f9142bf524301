#include "tui/view_wants.h"

#include "basic/macros.h"
#include "model/snapshot.h"

/*
 * Fields that all views need. Charts have data before they are opened, so their readings are always
 * read; fields that only the device view shows are not.
 */
static const enum device_field shown[] = {
	DEV_NAME,
	DEV_BOARD,
	DEV_SERIAL,
	DEV_TRAY,
	DEV_CHIP,
	DEV_BDF,
	DEV_STATE,
	DEV_ALIVE,
	DEV_TEMPERATURE,
	DEV_TEMPERATURE_LIMIT,
	DEV_TEMPERATURE_HEADROOM,
	DEV_POWER,
	DEV_POWER_LIMIT,
	DEV_AICLK,
	DEV_LINK_GEN,
	DEV_LINK_WIDTH,
	DEV_FAN_RPM,
	DEV_PCIE_RX,
	DEV_PCIE_TX,
	DEV_DRAM_USED,
	DEV_DRAM_TOTAL,
	DEV_L1_USED,
	DEV_L1_TOTAL,
	DEV_MEMORY_RATIO,
	DEV_MEMORY_COMPLETE,
	DEV_DISPATCH,
	DEV_BOUND,
	DEV_PROGRAMS,
	DEV_RUNNING,
	DEV_PROCESSES,
};

void view_wants(enum view view, struct want *want)
{
	want->low_rate = true;
	if (view == VIEW_DEVICE) {
		want_add_everything(want);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
		want_add(want, OF_DEVICE, shown[i]);
	/*
	 * Also in samples of devices only: a different set of fields would be read without rate
	 * limit.
	 */
	want_add_list(want, FIELDS(PART(SHM_IDS)));
	want_add_table(want, &process_fields);
	want_add_table(want, &usage_fields);
	if (view == VIEW_MEMORY)
		want_add_list(want, FIELDS(PART(ALLOCATIONS), PART(REPORTERS)));
}
