/*
 * All files of the tracer on a --static machine: memory and holders if a workload is traced,
 * utilisation if one is measured, and the file with the pid of the tracer.
 */
#pragma once

#include "dispatch.h"
#include "traced.h"

struct traced_report {
	bool counts, measures; /* which of them are written */
	struct traced_files files;
	struct dispatch_file dispatch;
};

/* False: the machine is not traced, and nothing is to be written. */
bool traced_report_begin(struct traced_report *report, const struct machine *m, int64_t now_ns);
void traced_report_add(struct traced_report *report, const struct traced_process *process);
void traced_report_end(struct traced_report *report, struct tree *root);
