#include "model/accounted.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define AT(member) offsetof(struct accounted, member)

/* Keys are those of nvidia-smi where it has the field. */
/* clang-format off */
static const struct field table[ACCOUNT_N_FIELDS] = {
	[ACCOUNT_PID] = { "pid", NULL, "pid", NULL, NULL,
		"process id", K_I32, U_NONE, AT(pid) },
	[ACCOUNT_NAME] = { "process_name", "name", "name", NULL, NULL,
		"name of the program", K_STRING, U_NONE, AT(name) },
	[ACCOUNT_USER] = { "user", NULL, "user", NULL, NULL,
		"owner", K_STRING, U_NONE, AT(user) },
	[ACCOUNT_UID] = { "uid", NULL, "uid", NULL, NULL,
		"owner's number", K_U32, U_NONE, AT(uid) },
	[ACCOUNT_START] = { "start_time", NULL, "start_time", NULL, NULL,
		"when it started", K_DOUBLE, U_TIME, AT(start_time) },
	[ACCOUNT_END] = { "end_time", NULL, "end_time", NULL, NULL,
		"when it ended", K_DOUBLE, U_TIME, AT(end_time) },
	[ACCOUNT_TIME] = { "time", "elapsed", "time", NULL, NULL,
		"from its start to its end", K_DOUBLE, U_SECOND, AT(time) },
	[ACCOUNT_PEAK + POOL_DRAM] = { "max_memory_usage", "memory.peak", "peak.dram", NULL, NULL,
		"highest DRAM use so far, without trace buffers", K_U64, U_BYTE, AT(peaks[POOL_DRAM]) },
	[ACCOUNT_PEAK + POOL_L1] = { "memory.l1.peak", NULL, "peak.l1", NULL, NULL,
		"highest L1 use so far, without L1_SMALL", K_U64, U_BYTE, AT(peaks[POOL_L1]) },
	[ACCOUNT_PEAK + POOL_SYSTEM] = { "memory.system.peak", NULL, "peak.system", NULL, NULL,
		"most host memory its device ever used", K_U64, U_BYTE, AT(peaks[POOL_SYSTEM]) },
	[ACCOUNT_PEAK + POOL_L1_SMALL] = { "memory.l1_small.peak", NULL, "peak.l1_small", NULL, NULL,
		"most L1_SMALL it ever had", K_U64, U_BYTE, AT(peaks[POOL_L1_SMALL]) },
	[ACCOUNT_PEAK + POOL_TRACE] = { "memory.trace.peak", NULL, "peak.trace", NULL, NULL,
		"most trace buffers it ever had", K_U64, U_BYTE, AT(peaks[POOL_TRACE]) },
	[ACCOUNT_PEAK + POOL_CB] = { "memory.cb.peak", NULL, "peak.circular_buffers", NULL, NULL,
		"most circular buffers it ever had, as reported", K_U64, U_BYTE, AT(peaks[POOL_CB]) },
	[ACCOUNT_PEAK + POOL_KERNEL] = { "memory.kernel.peak", NULL, "peak.kernel", NULL, NULL,
		"most kernel binaries it ever had, as reported", K_U64, U_BYTE, AT(peaks[POOL_KERNEL]) },
	[ACCOUNT_EXIT] = { "exit", "exit_status", "exit", NULL, NULL,
		"how it ended: a number, or the signal that killed it", K_STRING, U_NONE, AT(exit) },
};
/* clang-format on */

const struct field_table accounted_fields = {
	.fields = table,
	.count = ARRAY_SIZE(table),
	.why_offset = offsetof(struct accounted, why),
	.of = OF_ACCOUNTED,
	.needs = FIELDS(PART(ACCOUNTS)),
};

void accounted_init(struct accounted *account, int32_t pid)
{
	*account = (struct accounted){ .pid = pid, .device = SIZE_MAX };
	memset(account->why, NOT_REPORTED, sizeof(account->why));
	account->why[ACCOUNT_PID] = KNOWN;
}

void accounted_set_exit(struct accounted *account, int status)
{
	account->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	if (WIFSIGNALED(status))
		snprintf(account->exit, sizeof(account->exit), "signal %d", WTERMSIG(status));
	else
		snprintf(account->exit, sizeof(account->exit), "%d", WEXITSTATUS(status));
	account->why[ACCOUNT_EXIT] = KNOWN;
}
