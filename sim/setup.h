/* Builds a machine and its files from the options. */
#pragma once

#include "basic/macros.h"
#include "machine.h"
#include "worker.h"

/*
 * Creates devices, workloads and faults, and checks that they fit together. -EINVAL after an error
 * on stderr.
 */
MUST_CHECK int setup_machine(struct machine *m);

/* Writes all files below the directory open as m->root. -errno after an error on stderr. */
MUST_CHECK int setup_tree(struct machine *m);

/* Fills the job that is sent to the workload's process. */
void setup_job(struct machine *m, const struct workload *w, const char *root,
	       struct worker_job *ret);

void setup_done(struct machine *m);
