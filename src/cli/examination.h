/* One examination of the machine for tt_smi doctor and tt_smi check. */
#pragma once

#include "basic/option.h"
#include "cli/session.h"
#include "doctor/doctor.h"

struct examination {
	const char *root; /* NULL: the machine that we run on */
	const struct selection *selection;
	unsigned only;	   /* areas requested by --only; 0: the default ones */
	unsigned areas;	   /* the default ones */
	bool idle;	   /* is every device free? */
	unsigned expected; /* number of devices that there should be; 0: any */
	struct alarms alarms;
};

/*
 * Fills the report. Two samples are taken, since only a heartbeat that does not change reveals hung
 * firmware. A machine without driver or devices is a finding, not an error. Returns an exit code;
 * if it is not 0, session->problem has the reason. The caller closes the session.
 */
MUST_CHECK int examination_run(const struct examination *examination, struct session *session,
			       struct report *report);

/* The setter of --only, for an unsigned member. */
int option_areas(const struct option_given *given, void *member);
