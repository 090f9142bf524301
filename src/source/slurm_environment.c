/*
 * The Slurm job of a process, from its environment: the job id where the cgroup does not have it,
 * as without Slurm's cgroup plugins, and always name and user of the job.
 */
#include "basic/text.h"
#include "source/procfs.h"

#include <stdio.h>
#include <string.h>

static bool is_number(const char *text, size_t size)
{
	size_t digits = strspn(text, "0123456789");

	return digits > 0 && digits < size && !text[digits];
}

bool procfs_may_be_job(const struct owner *owner)
{
	if (owner->slurm_job[0])
		return true;
	if (owner->pod[0] || owner->container[0])
		return false;
	return !owner->unit[0] || strncmp(owner->unit, "slurm", 5) == 0;
}

/* An environment need not end in a NUL if it was cut; then its last variable is not used. */
void procfs_parse_job(const char *data, size_t length, struct owner *owner)
{
	const char *id, *name, *user;

	if (!length || data[length - 1])
		return;
	id = procfs_find_variable(data, length, "SLURM_JOB_ID");
	if (!id || !is_number(id, sizeof(owner->slurm_job)))
		return;
	if (owner->slurm_job[0] && strcmp(owner->slurm_job, id) != 0)
		return;
	snprintf(owner->slurm_job, sizeof(owner->slurm_job), "%s", id);
	name = procfs_find_variable(data, length, "SLURM_JOB_NAME");
	if (name)
		text_copy(owner->slurm_name, sizeof(owner->slurm_name), name);
	user = procfs_find_variable(data, length, "SLURM_JOB_USER");
	if (user && strlen(user) < sizeof(owner->slurm_user))
		snprintf(owner->slurm_user, sizeof(owner->slurm_user), "%s", user);
}
