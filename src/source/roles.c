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
	const struct buf *command = &reader->command;
	CLEANUP_FREE char *line = command->length ? malloc(command->length + 1) : NULL;
	char base[MONITOR_NAME], script[MONITOR_NAME];
	const char *found;
	size_t length;

	if (!line)
		return false;
	procfs_parse_cmdline(command->data, command->length, base, sizeof(base), line,
			     command->length + 1);
	found = process_script(program, line, &length);
	if (!found || length >= sizeof(script))
		return false;
	memcpy(script, found, length);
	script[length] = '\0';
	return monitor_names_have(names, script);
}

/* Evidence from names and users. */
static void match(const struct roles *roles, const struct proc_reader *reader,
		  struct role_evidence *ret)
{
	const struct monitor_names *names = &roles->monitors.names;
	const char *program = reader->exe_read ? reader->exe : reader->stat.comm;

	ret->uid_is_root = reader->status_error >= 0 && reader->status.is_root;
	ret->comm_listed = monitor_names_have_comm(names, reader->stat.comm);
	ret->exe_read = reader->exe_read;
	ret->exe_listed = reader->exe_read && monitor_names_have(names, reader->exe);
	ret->script_listed = ret->uid_is_root && has_listed_script(names, reader, program);
	/* Until it has been examined there is no evidence in its favour. */
	ret->exe_protected = ret->code_read = ret->code_is_metal = ret->code_unprotected = false;
}

static bool needs_look(const struct role_evidence *evidence)
{
	return evidence->exe_read &&
	       (evidence->exe_listed || (evidence->uid_is_root && evidence->script_listed));
}

static int by_pid(const void *a, const void *b)
{
	int32_t x = (*(struct role_look *const *)a)->pid, y = (*(struct role_look *const *)b)->pid;

	return (x > y) - (x < y);
}

static struct role_look *find_look(const struct roles *roles, int32_t pid)
{
	struct role_look wanted = { .pid = pid }, *key = &wanted, **found = NULL;

	if (roles->n_looks)
		found = bsearch(&key, roles->looks, roles->n_looks, sizeof(key), by_pid);
	return found ? *found : NULL;
}

/* Sets what to examine; if any of it has changed, the last result is discarded. */
static void prepare(struct role_look *look, const struct proc_reader *reader,
		    const struct role_evidence *evidence)
{
	bool by_script = !evidence->exe_listed;

	if (look->uid_is_root != evidence->uid_is_root || look->by_script != by_script ||
	    strcmp(look->exe, reader->exe) != 0)
		look->has_looked = false;
	look->root = reader->root;
	look->uid_is_root = evidence->uid_is_root;
	look->by_script = by_script;
	memcpy(look->exe, reader->exe, sizeof(look->exe));
	look->stat = reader->stat;
	look->job = (struct job){ .run = role_look_run, .arg = look };
}

static void take(const struct role_look *look, struct role_evidence *ret)
{
	ret->exe_protected = look->exe_protected;
	ret->code_read = look->code_read;
	ret->code_is_metal = look->code_is_metal;
	ret->code_unprotected = look->code_unprotected;
}

/* Keeps those of these processes and those that hang; frees the others. */
static void keep(struct roles *roles, struct worker_pool *workers, struct role_look **looks,
		 size_t count)
{
	size_t kept = count;

	for (size_t i = 0; i < roles->n_looks; i++) {
		struct role_look *look = roles->looks[i];

		if (job_is_busy(workers, &look->job))
			looks[kept++] = look;
		else
			free(look);
	}
	free(roles->looks);
	roles->looks = looks;
	roles->n_looks = kept;
	qsort(looks, kept, sizeof(*looks), by_pid);
}

/*
 * Removes that of the process from the list, or makes one. NULL: an earlier one hangs, or there is
 * no memory.
 */
static struct role_look *take_look(struct roles *roles, struct worker_pool *workers, int32_t pid)
{
	struct role_look *look = find_look(roles, pid);
	size_t at = 0;

	if (!look) {
		look = calloc(1, sizeof(*look));
		if (look)
			look->pid = pid;
		return look;
	}
	if (job_is_busy(workers, &look->job))
		return NULL;
	while (roles->looks[at] != look)
		at++;
	memmove(roles->looks + at, roles->looks + at + 1,
		(--roles->n_looks - at) * sizeof(*roles->looks));
	return look;
}

int roles_examine(struct roles *roles, struct worker_pool *workers, int64_t deadline_ns,
		  struct proc_reader *const *readers, struct role_evidence *const *ret,
		  size_t count)
{
	size_t room = count + roles->n_looks + 1, n = 0;
	CLEANUP_FREE struct role_look **looks = calloc(room, sizeof(*looks));
	CLEANUP_FREE struct job **jobs = calloc(count + 1, sizeof(*jobs));
	CLEANUP_FREE size_t *whose = calloc(count + 1, sizeof(*whose));

	if (!looks || !jobs || !whose)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct role_look *look;

		match(roles, readers[i], ret[i]);
		look = needs_look(ret[i]) ? take_look(roles, workers, readers[i]->pid) : NULL;
		if (!look)
			continue;
		prepare(look, readers[i], ret[i]);
		looks[n] = look;
		jobs[n] = &look->job;
		whose[n++] = i;
	}
	if (n)
		worker_pool_run(workers, jobs, n, deadline_ns);
	for (size_t i = 0; i < n; i++)
		if (job_is_done(workers, &looks[i]->job))
			take(looks[i], ret[whose[i]]);
	keep(roles, workers, TAKE_PTR(looks), n);
	return 0;
}

bool roles_done(struct roles *roles, struct worker_pool *workers)
{
	for (size_t i = 0; i < roles->n_looks; i++)
		if (!job_is_busy(workers, &roles->looks[i]->job))
			free(roles->looks[i]);
	free(roles->looks);
	roles->looks = NULL;
	roles->n_looks = 0;
	return monitors_done(&roles->monitors, workers);
}
