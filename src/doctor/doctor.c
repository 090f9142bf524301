#include "doctor/doctor.h"

/* In the order of the report. */
static const struct {
	enum area area;
	bool devices; /* needs devices */
	void (*examine)(const struct doctor_context *context, struct report *report);
} examinations[] = {
	{ AREA_DRIVER, false, examine_driver },
	{ AREA_DRIVER, true, examine_unserved },
	{ AREA_DEVICES, true, examine_devices },
	{ AREA_PERMISSIONS, true, examine_nodes },
	{ AREA_HUGE_PAGES, true, examine_huge_pages },
	{ AREA_KERNEL, true, examine_kernel_log },
	{ AREA_IDLE, true, examine_idle },
	{ AREA_SERVER, false, examine_server },
	{ AREA_TRACING, false, NULL /* examine_tracing() */ },
	{ AREA_PROCESSES, true, examine_processes },
	{ AREA_UTILIZATION, true, examine_utilization },
};

/*
 * The driver and the devices are always examined, since the rest depends on them; and so is
 * tracing, of which the fixes for processes make use.
 */
static bool is_due(const struct report *report, enum area area)
{
	return area <= AREA_DEVICES || area == AREA_TRACING || report_covers(report, area);
}

void doctor_examine(struct doctor_context *context, struct report *report)
{
	context->tracing = find_tracing(context->root);
	for (size_t i = 0; i < ARRAY_SIZE(examinations); i++) {
		if ((examinations[i].devices && !context->snapshot) ||
		    !is_due(report, examinations[i].area))
			continue;
		report->area = examinations[i].area;
		report->device = NULL;
		if (examinations[i].examine)
			examinations[i].examine(context, report);
		else
			context->can_trace = examine_tracing(context, report);
	}
	if (report->count)
		return;
	while (!report_covers(report, report->area))
		report->area = (report->area + 1) % AREAS;
	report_add(report, LEVEL_OK, "no problems found");
}
