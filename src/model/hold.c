#include "model/hold.h"

enum hold_state hold_judge(const struct hold_evidence *evidence, uint32_t index)
{
	bool driver_lists = device_set_has(&evidence->driver_lists, index);

	if (device_set_has(&evidence->open, index))
		return HOLD_SEEN;
	if (evidence->access == HOLD_READ || evidence->access == HOLD_NO_PROCESS) {
		if (!driver_lists)
			return HOLD_NONE;
		return evidence->access == HOLD_NO_PROCESS && !evidence->foreign_pids
			       ? HOLD_OPENER_EXITED
			       : HOLD_OPENER_UNKNOWN;
	}
	if (device_set_has(&evidence->kernel_lists, index))
		return HOLD_SEEN;
	if (!driver_lists)
		return HOLD_NONE;
	return evidence->foreign_pids ? HOLD_FOREIGN : HOLD_LISTED;
}

enum hold_orphan hold_judge_orphan(enum hold_state state, bool has_holder, bool saw_all)
{
	if (has_holder)
		return saw_all ? ORPHAN_EXPLAINED : ORPHAN_UNKNOWN;
	return state == HOLD_OPENER_EXITED ? ORPHAN_STANDS_IN : ORPHAN_UNKNOWN;
}
