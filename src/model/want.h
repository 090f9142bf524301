/*
 * What the outputs will show, so that nobody reads what nobody wants.
 */
#pragma once

#include "model/field.h"

#include <stdbool.h>
#include <string.h>

struct want {
	struct fieldset device;	 /* enum device_field */
	struct fieldset process; /* enum process_field */
	bool processes;		 /* who holds what */
	bool memory;		 /* and how much: needs the processes */
	bool allocations;	 /* each single one, where somebody tells */
	bool reporters;		 /* also programs that report without a device open */
	bool accounts;		 /* finished processes that the server remembers */
	bool utilization;
	bool paced; /* for people: what changes slowly is not read at every sample */
	bool host;  /* distribution, memory: only the vendor's layout has them */
};

static inline void want_everything(struct want *want)
{
	memset(&want->device, 0xFF, sizeof(want->device));
	memset(&want->process, 0xFF, sizeof(want->process));
	want->processes = want->memory = want->utilization = true;
}
