/*
 * Metrics that name jobs, pods, containers and users. They have no series for clients that may not
 * see them (hide_owners).
 */
#pragma once

#include "render/exposition.h"

/*
 * Not "job", which is Prometheus's label for the target that was scraped. A label whose value an
 * owner does not have is absent.
 */
#define OWNER_LABELS   "kind,namespace,pod,container,slurm_job,slurm_job_name,user"
#define PROCESS_LABELS "pid,name," OWNER_LABELS

void metrics_put_owner_memory(struct exposition *page);
void metrics_put_owner_processes(struct exposition *page);
void metrics_put_owner_devices(struct exposition *page);
void metrics_put_owner_quiet(struct exposition *page);
void metrics_put_process_memory(struct exposition *page);

/* Series of processes in this snapshot that are left out, if they are shown at all. */
size_t metrics_dropped_processes(const struct snapshot *snapshot);
