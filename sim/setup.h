/* From options to a machine with files. */
#pragma once

#include "basic/macros.h"
#include "machine.h"
#include "worker.h"

/*
 * Devices, workloads and faults of the options, checked against each other.
 * -EINVAL after an error on stderr.
 */
MUST_CHECK int setup_machine(struct machine *m);

/* Writes all files below the directory open as m->root. -errno after an error on stderr. */
MUST_CHECK int setup_tree(struct machine *m);

/* What the workload's process has to know. */
void setup_job(struct machine *m, const struct workload *w, const char *root,
	       struct worker_job *ret);

void setup_done(struct machine *m);
