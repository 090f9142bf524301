#include "doctor/doctor.h"

void doctor_examine(struct doctor_context *context, struct report *report)
{
	context->tracing = find_tracing(context->root);
	report->section = "Driver";
	examine_driver(context, report);
	if (context->snapshot) {
		report->section = "Devices";
		examine_devices(context, report);
		report->section = "Permissions";
		examine_nodes(context, report);
		report->section = "Huge pages";
		examine_huge_pages(context, report);
	}
	report->section = "Allocation server";
	examine_server(context, report);
	report->section = "Tracing";
	examine_tracing(context, report);
	if (context->snapshot) {
		report->section = "Processes";
		examine_processes(context, report);
	}
}
