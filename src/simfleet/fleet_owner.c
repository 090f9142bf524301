#include "simfleet/fleet_owner.h"

#include "basic/macros.h"
#include "basic/random.h"
#include "basic/text.h"

#include <inttypes.h>
#include <stdio.h>

enum {
	MACHINES_PER_JOB = 4,
	JOBS_PER_MACHINE = 8,
	FIRST_JOB = 1000,
	FIRST_UID = 1001,
	PURPOSE_POD = 96
};

static const char *const models[] = { "llama-70b", "resnet50", "mixtral", "whisper" };
static const char *const users[] = { "ada", "barbara", "donald", "edsger", "grace", "ken" };

static void set_user(struct process *process, size_t which)
{
	text_copy(process->user, sizeof(process->user), users[which]);
	process->uid = (uint32_t)(FIRST_UID + which);
	process->why[PROC_USER] = process->why[PROC_UID] = KNOWN;
}

static void name_job(struct owner *owner, unsigned group, size_t rank)
{
	snprintf(owner->slurm_job, sizeof(owner->slurm_job), "%zu",
		 FIRST_JOB + (size_t)group * JOBS_PER_MACHINE + rank % JOBS_PER_MACHINE);
	text_copy(owner->slurm_name, sizeof(owner->slurm_name),
		  models[(group + rank) % ARRAY_SIZE(models)]);
}

/* A pod is on one machine only. */
static void name_pod(struct owner *owner, unsigned number, size_t rank)
{
	uint64_t high = random_of(number, PURPOSE_POD, rank);
	uint64_t low = random_of(number, PURPOSE_POD + 1, rank);

	snprintf(owner->pod, sizeof(owner->pod), "%08" PRIx32 "-%04x-4%03x-8%03x-%012" PRIx64,
		 (uint32_t)(high >> 32), (unsigned)(high >> 16 & 0xffff), (unsigned)(high & 0xfff),
		 (unsigned)(low >> 48 & 0xfff), low & 0xffffffffffff);
	snprintf(owner->pod_name, sizeof(owner->pod_name), "%s-%u-%zu",
		 models[(number + rank) % ARRAY_SIZE(models)], number, rank);
	text_copy(owner->namespace, sizeof(owner->namespace), "inference");
	text_copy(owner->container_name, sizeof(owner->container_name), "server");
}

void fleet_owner_set(struct process *process, unsigned number, size_t rank)
{
	unsigned group = (number - 1) / MACHINES_PER_JOB;
	struct owner owner = { 0 };

	set_user(process, (group + rank) % ARRAY_SIZE(users));
	if (rank % 2 == 0)
		name_job(&owner, group, rank);
	else
		name_pod(&owner, number, rank);
	process_set_owner(process, &owner);
}
