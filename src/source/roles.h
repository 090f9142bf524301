/*
 * Evidence on whether each holder is a job or a monitor, which model/role.h judges.
 *
 * Names come with what is read of each process anyway. Only a process whose name is on the list is
 * examined further, and again only after it has changed.
 */
#pragma once

#include "basic/worker_pool.h"
#include "source/monitors.h"
#include "source/proc_reader.h"
#include "source/role_look.h"

#include <stddef.h>
#include <stdint.h>

struct roles {
	struct monitors monitors;
	struct role_look **looks; /* by pid; also those whose job hangs */
	size_t n_looks;
};

void roles_init(struct roles *roles, const struct root *root);

/*
 * Fills the evidence on count processes, which are by pid, each read by proc_reader_run() with
 * wants_role; what the server or the tracer told is kept. The names' job (monitors_job()) must
 * have been run before. -ENOMEM.
 */
MUST_CHECK int roles_examine(struct roles *roles, struct worker_pool *workers, int64_t deadline_ns,
			     struct proc_reader *const *readers, struct role_evidence *const *ret,
			     size_t count);

/* Frees all but what a hanging job uses. False: the struct itself must stay too. */
bool roles_done(struct roles *roles, struct worker_pool *workers);
