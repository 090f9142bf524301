#include "source/roles.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void roles_init(struct roles *roles, const struct root *root)
{
	*roles = (struct roles){ 0 };
	monitors_init(&roles->monitors, root);
}

/* Does its command line contain a script that is on the list? */
static bool has_listed_script(const struct monitor_names *names, const struct proc_reader *reader,
			      const char *program)
{
	char script[MONITOR_NAME];
	const char *found;
	size_t length;

	found = reader->command ? process_script(program, reader->command, &length) : NULL;
	if (!found || length >= sizeof(script))
		return false;
	memcpy(script, found, length);
	script[length] = '\0';
	return monitor_names_have(names, script);
}

/* For processes without an executable, such as those of a tree: their name. */
static const char *program_of(const struct proc_reader *reader)
{
	return reader->exe_read ? reader->exe : reader->stat.comm;
}

bool roles_need_user(const struct roles *roles, const struct proc_reader *reader)
{
	const struct monitor_names *names = &roles->monitors.names;

	return monitor_names_have_comm(names, reader->stat.comm) ||
	       (reader->exe_read && monitor_names_have(names, reader->exe)) ||
	       has_listed_script(names, reader, program_of(reader));
}

/* Evidence from names and users. */
static void match(const struct roles *roles, const struct proc_reader *reader,
		  struct role_evidence *ret)
{
	const struct monitor_names *names = &roles->monitors.names;

	ret->uid_is_root =
		reader->has_status && reader->status_error >= 0 && reader->status.is_root;
	ret->comm_listed = monitor_names_have_comm(names, reader->stat.comm);
	ret->exe_read = reader->exe_read;
	ret->exe_listed = reader->exe_read && monitor_names_have(names, reader->exe);
	ret->script_listed =
		ret->uid_is_root && has_listed_script(names, reader, program_of(reader));
	/* Until it has been examined there is no evidence that it is a monitor. */
	ret->exe_protected = ret->code_read = ret->code_is_metal = ret->code_unprotected = false;
}

static bool needs_inspection(const struct role_evidence *evidence)
{
	return evidence->exe_read &&
	       (evidence->exe_listed || (evidence->uid_is_root && evidence->script_listed));
}

static int by_pid(const void *a, const void *b)
{
	int32_t x = (*(struct role_inspection *const *)a)->pid,
		y = (*(struct role_inspection *const *)b)->pid;

	return (x > y) - (x < y);
}

static struct role_inspection *find_inspection(const struct roles *roles, int32_t pid)
{
	struct role_inspection wanted = { .pid = pid }, *key = &wanted, **found = NULL;

	if (roles->n_inspections)
		found = bsearch(&key, roles->inspections, roles->n_inspections, sizeof(key),
				by_pid);
	return found ? *found : NULL;
}

/* Sets what to examine; if any of it has changed, the last result is discarded. */
static void prepare(struct role_inspection *inspection, const struct proc_reader *reader,
		    const struct role_evidence *evidence)
{
	bool by_script = !evidence->exe_listed;

	if (inspection->uid_is_root != evidence->uid_is_root ||
	    inspection->by_script != by_script || strcmp(inspection->exe, reader->exe) != 0)
		inspection->is_done = false;
	inspection->root = reader->root;
	inspection->uid_is_root = evidence->uid_is_root;
	inspection->by_script = by_script;
	memcpy(inspection->exe, reader->exe, sizeof(inspection->exe));
	inspection->stat = reader->stat;
	inspection->job = (struct job){ .run = role_inspection_run, .arg = inspection };
}

static void take(const struct role_inspection *inspection, struct role_evidence *ret)
{
	ret->exe_protected = inspection->exe_protected;
	ret->code_read = inspection->code_read;
	ret->code_is_metal = inspection->code_is_metal;
	ret->code_unprotected = inspection->code_unprotected;
}

/* Keeps those of these processes and those that hang; frees the others. */
static void keep(struct roles *roles, struct worker_pool *workers,
		 struct role_inspection **inspections, size_t count)
{
	size_t kept = count;

	for (size_t i = 0; i < roles->n_inspections; i++) {
		struct role_inspection *inspection = roles->inspections[i];

		if (job_is_busy(workers, &inspection->job))
			inspections[kept++] = inspection;
		else
			free(inspection);
	}
	free(roles->inspections);
	roles->inspections = inspections;
	roles->n_inspections = kept;
	qsort(inspections, kept, sizeof(*inspections), by_pid);
}

/*
 * Removes the entry of the process from the list, or creates one. NULL: an earlier one hangs, or
 * out of memory.
 */
static struct role_inspection *take_inspection(struct roles *roles, struct worker_pool *workers,
					       int32_t pid)
{
	struct role_inspection *inspection = find_inspection(roles, pid);
	size_t at = 0;

	if (!inspection) {
		inspection = calloc(1, sizeof(*inspection));
		if (inspection)
			inspection->pid = pid;
		return inspection;
	}
	if (job_is_busy(workers, &inspection->job))
		return NULL;
	while (roles->inspections[at] != inspection)
		at++;
	memmove(roles->inspections + at, roles->inspections + at + 1,
		(--roles->n_inspections - at) * sizeof(*roles->inspections));
	return inspection;
}

int roles_examine(struct roles *roles, struct worker_pool *workers, int64_t deadline_ns,
		  struct proc_reader *const *readers, struct role_evidence *const *ret,
		  size_t count)
{
	size_t room = count + roles->n_inspections + 1, n = 0;
	CLEANUP_FREE struct role_inspection **inspections = calloc(room, sizeof(*inspections));
	CLEANUP_FREE struct job **jobs = calloc(count + 1, sizeof(*jobs));
	CLEANUP_FREE size_t *whose = calloc(count + 1, sizeof(*whose));

	if (!inspections || !jobs || !whose)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct role_inspection *inspection;

		match(roles, readers[i], ret[i]);
		inspection = needs_inspection(ret[i])
				     ? take_inspection(roles, workers, readers[i]->pid)
				     : NULL;
		if (!inspection)
			continue;
		prepare(inspection, readers[i], ret[i]);
		inspections[n] = inspection;
		jobs[n] = &inspection->job;
		whose[n++] = i;
	}
	if (n)
		worker_pool_run(workers, jobs, n, deadline_ns);
	for (size_t i = 0; i < n; i++)
		if (job_is_done(workers, &inspections[i]->job))
			take(inspections[i], ret[whose[i]]);
	keep(roles, workers, TAKE_PTR(inspections), n);
	return 0;
}

bool roles_done(struct roles *roles, struct worker_pool *workers)
{
	for (size_t i = 0; i < roles->n_inspections; i++)
		if (!job_is_busy(workers, &roles->inspections[i]->job))
			free(roles->inspections[i]);
	free(roles->inspections);
	roles->inspections = NULL;
	roles->n_inspections = 0;
	return monitors_done(&roles->monitors, workers);
}
