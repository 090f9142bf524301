/*
 * Collects evidence on whether each holder is a job or a monitor, which model/role.h judges.
 *
 * Names are read with the other data of a process. Only a process whose name is on the list is
 * examined further, and again only after it has changed.
 */
#pragma once

#include "basic/worker_pool.h"
#include "source/monitors.h"
#include "source/proc_reader.h"
#include "source/role_inspection.h"

#include <stddef.h>
#include <stdint.h>

struct roles {
	struct monitors monitors;
	struct role_inspection **inspections; /* by pid; also those whose job hangs */
	size_t n_inspections;
};

void roles_init(struct roles *roles, const struct root *root);

/*
 * Has the process a name that makes it a monitor if it belongs to root? Then its user has to be
 * read, too.
 */
bool roles_need_user(const struct roles *roles, const struct proc_reader *reader);

/*
 * Fills the evidence on count processes, which are sorted by pid, each read by proc_reader_run()
 * with wants_role; reports of the server or the tracer are kept. The names' job (monitors_job())
 * must have been run before. -ENOMEM.
 */
MUST_CHECK int roles_examine(struct roles *roles, struct worker_pool *workers, int64_t deadline_ns,
			     struct proc_reader *const *readers, struct role_evidence *const *ret,
			     size_t count);

/* Frees all except what a hanging job uses. False: then the struct must not be freed, either. */
bool roles_done(struct roles *roles, struct worker_pool *workers);
