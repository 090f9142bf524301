#include "doctor/doctor.h"

void doctor_examine(struct patient *patient, struct report *report)
{
	patient->tracing = find_tracing(patient->root);
	report->section = "Driver";
	examine_driver(patient, report);
	if (patient->snapshot) {
		report->section = "Devices";
		examine_devices(patient, report);
		report->section = "Permissions";
		examine_nodes(patient, report);
		report->section = "Huge pages";
		examine_huge_pages(patient, report);
	}
	report->section = "Allocation server";
	examine_server(patient, report);
	report->section = "Tracing";
	examine_tracing(patient, report);
	if (patient->snapshot) {
		report->section = "Processes";
		examine_processes(patient, report);
	}
}
