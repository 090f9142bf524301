#include "model/process.h"

#include "basic/macros.h"
#include "model/device.h"
#include "model/want.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const tracking_names[TRACKING_N] = {
	[TRACKING_NONE] = "none",	[TRACKING_METAL] = "metal", [TRACKING_TRACED] = "traced",
	[TRACKING_PRELOAD] = "preload", [TRACKING_WIRE] = "wire",   [TRACKING_TABLE] = "table",
};

const char *const holding_names[HOLDINGS] = {
	[HOLDING_SEEN] = "seen",
	[HOLDING_LISTED] = "listed",
	[HOLDING_OPENER_GONE] = "opener gone",
	[HOLDING_COUNTERS] = "counters",
};

#define AT(member) offsetof(struct process, member)

/* clang-format off */
static const struct field process_table[PROCESS_N_FIELDS] = {
	[PROC_PID] = { "pid", NULL, "pid", "PIDS", "Process Id",
		"process id in our namespace", K_I32, U_NONE, AT(pid),
		.heading = "PID", .width = 8 },
	[PROC_NS_PID] = { "ns_pid", NULL, "ns_pid", "PIDS", "Namespace Pid",
		"process id in its own namespace", K_I32, U_NONE, AT(ns_pid) },
	[PROC_NAME] = { "process_name", "name", "name", "PIDS", "Name",
		"base name of the program", K_STRING, U_NONE, AT(name) },
	[PROC_PROGRAM] = { "program", NULL, "program", "PIDS", "Program",
		"what the program calls itself, if it reports its memory", K_STRING, U_NONE, AT(program) },
	[PROC_COMMAND] = { "command", NULL, "command", "PIDS", "Command",
		"command line", K_TEXT, U_NONE, AT(command),
		.heading = "Command", .width = 16 },
	[PROC_USER] = { "user", NULL, "user", "PIDS", "User",
		"owner", K_STRING, U_NONE, AT(user),
		.needs = FIELDS(PROCESS_FIELD(UID)),
		.heading = "User", .width = 9 },
	[PROC_UID] = { "uid", NULL, "uid", "PIDS", "Uid",
		"owner's number", K_U32, U_NONE, AT(uid) },
	[PROC_START_TIME] = { "start_time", NULL, "start_time", "PIDS", "Start Time",
		"when it started", K_DOUBLE, U_TIME, AT(start_time) },
	[PROC_ELAPSED] = { "elapsed", "time", "elapsed", "PIDS", "Elapsed",
		"time since its start", K_DOUBLE, U_SECOND, AT(elapsed),
		.heading = "Time", .width = 10 },
	[PROC_STATE] = { "process_state", NULL, "state", "PIDS", "State",
		"running, sleeping, disk, stopped, zombie…", K_STRING, U_NONE, AT(state),
		.heading = "State", .width = 9 },
	[PROC_CPU] = { "cpu", NULL, "cpu", "PIDS", "Host CPU",
		"host CPU since the last sample, or since its start in the first", K_DOUBLE, U_RATIO, AT(cpu),
		.heading = "CPU%", .width = 6 },
	[PROC_HOST_MEMORY] = { "host_memory", NULL, "host_memory", "PIDS", "Host Memory",
		"resident host memory", K_U64, U_BYTE, AT(host_memory),
		.heading = "Host", .width = 9 },
	[PROC_OWNER] = { "owner", NULL, "owner", "PIDS", "Owner",
		"Slurm job, pod, container or unit", K_STRING, U_NONE, AT(owner_text),
		.heading = "Owner", .width = 20 },
	[PROC_CONTAINER] = { "container", NULL, "container.id", "PIDS", "Container",
		"container id or name", K_STRING, U_NONE, AT(owner.container),
		.needs = FIELDS(PROCESS_FIELD(OWNER)) },
	[PROC_RUNTIME] = { "container.runtime", NULL, "container.runtime", "PIDS", "Container Runtime",
		"container runtime", K_STRING, U_NONE, AT(owner.runtime),
		.needs = FIELDS(PROCESS_FIELD(OWNER)) },
	[PROC_POD] = { "pod", "pod.uid", "pod.uid", "PIDS", "Pod",
		"Kubernetes pod uid", K_STRING, U_NONE, AT(owner.pod),
		.needs = FIELDS(PROCESS_FIELD(OWNER)) },
	[PROC_SLURM_JOB] = { "slurm.job_id", NULL, "slurm.job_id", "PIDS", "Slurm Job",
		"Slurm job", K_STRING, U_NONE, AT(owner.slurm_job),
		.needs = FIELDS(PROCESS_FIELD(OWNER)) },
	[PROC_SLURM_STEP] = { "slurm.step", NULL, "slurm.step", "PIDS", "Slurm Step",
		"Slurm step", K_STRING, U_NONE, AT(owner.slurm_step),
		.needs = FIELDS(PROCESS_FIELD(OWNER)) },
	[PROC_UNIT] = { "unit", NULL, "unit", "PIDS", "Unit",
		"systemd unit", K_STRING, U_NONE, AT(owner.unit),
		.needs = FIELDS(PROCESS_FIELD(OWNER)) },
	[PROC_HOLDING] = { "holding", NULL, "holding", "PIDS", "Holding",
		"how we know: seen (descriptor or mapping), listed (by the driver, not checked), opener gone, counters", K_ENUM, U_NONE, AT(holding), .names = holding_names },
	[PROC_ROLE] = { "role", NULL, "role", "PIDS", "Role",
		"job, or monitor: a known program that only reads the device's state and has no memory there", K_ENUM, U_NONE, AT(role), .names = role_names },
};

#undef AT
#define AT(member) offsetof(struct usage, member)

static const struct field usage_table[USAGE_N_FIELDS] = {
	[USE_DRAM] = { "used_memory", "used_gpu_memory memory.used memory.dram", "dram", "PIDS", "DRAM",
		"DRAM, trace buffers included", K_U64, U_BYTE, AT(bytes[POOL_DRAM]),
		.needs = FIELDS(DEVICE_FIELD(DRAM_TOTAL)),
		.heading = "DRAM", .width = 9 },
	[USE_L1] = { "memory.l1", NULL, "l1", "PIDS", "L1",
		"L1, L1_SMALL included", K_U64, U_BYTE, AT(bytes[POOL_L1]),
		.needs = FIELDS(DEVICE_FIELD(L1_TOTAL)),
		.heading = "L1", .width = 9 },
	[USE_L1_SMALL] = { "memory.l1_small", NULL, "l1_small", "PIDS", "L1 Small",
		"L1_SMALL, part of L1", K_U64, U_BYTE, AT(bytes[POOL_L1_SMALL]),
		.needs = FIELDS(DEVICE_FIELD(L1_TOTAL)) },
	[USE_TRACE] = { "memory.trace", NULL, "trace", "PIDS", "Trace",
		"trace buffers, part of DRAM", K_U64, U_BYTE, AT(bytes[POOL_TRACE]),
		.needs = FIELDS(DEVICE_FIELD(DRAM_TOTAL)) },
	[USE_CB] = { "memory.cb", NULL, "circular_buffers", "PIDS", "Circular Buffers",
		"circular buffers as reported, not part of L1", K_U64, U_BYTE, AT(bytes[POOL_CB]) },
	[USE_SYSTEM] = { "memory.system", NULL, "system", "PIDS", "System",
		"host memory that a device uses, as reported", K_U64, U_BYTE, AT(bytes[POOL_SYSTEM]) },
	[USE_KERNEL] = { "memory.kernel", NULL, "kernel", "PIDS", "Kernels",
		"kernel binaries as reported, not part of L1", K_U64, U_BYTE, AT(bytes[POOL_KERNEL]) },
	[USE_PEAK_DRAM] = { "memory.peak", "max_memory_usage", "peak_dram", "PIDS", "Peak DRAM",
		"most DRAM it ever had", K_U64, U_BYTE, AT(peak[POOL_DRAM]),
		.needs = FIELDS(DEVICE_FIELD(DRAM_TOTAL)),
		.heading = "Peak", .width = 9 },
	[USE_PEAK_L1] = { "memory.l1.peak", NULL, "peak_l1", "PIDS", "Peak L1",
		"most L1 it ever had", K_U64, U_BYTE, AT(peak[POOL_L1]),
		.needs = FIELDS(DEVICE_FIELD(L1_TOTAL)) },
	[USE_ALLOCATIONS] = { "allocations", NULL, "allocations", "PIDS", "Allocations",
		"allocations it holds, in all pools", K_U64, U_NONE, AT(allocations) },
	[USE_ALLOCS] = { "allocations.made", NULL, "allocations_made", "PIDS", "Allocations Made",
		"allocations it has made so far", K_U64, U_NONE, AT(allocs) },
	[USE_FREES] = { "allocations.freed", NULL, "allocations_freed", "PIDS", "Allocations Freed",
		"allocations it has freed so far", K_U64, U_NONE, AT(frees) },
	[USE_FAILURES] = { "allocations.failed", NULL, "allocations_failed", "PIDS", "Allocations Failed",
		"allocations for which the device had no room", K_U64, U_NONE, AT(failures) },
	[USE_EXACT] = { "memory.exact", NULL, "exact", "PIDS", "Exact",
		"whoever counts missed nothing that is known of; if not, the figures are lower bounds", K_BOOL, U_NONE, AT(exact) },
	[USE_TRACKING] = { "tracking", NULL, "tracking", "PIDS", "Tracking",
		"who told us: table, wire, preload, traced, metal; none", K_ENUM, U_NONE, AT(tracking), .names = tracking_names },
};
/* clang-format on */
#undef AT

const struct field_table process_fields = {
	.fields = process_table,
	.count = ARRAY_SIZE(process_table),
	.why_offset = offsetof(struct process, why),
	.of = OF_PROCESS,
	.needs = FIELDS(PART(PROCESSES)),
};

const struct field_table usage_fields = {
	.fields = usage_table,
	.count = ARRAY_SIZE(usage_table),
	.why_offset = offsetof(struct usage, why),
	.of = OF_USAGE,
	.needs = FIELDS(PART(PROCESSES)),
};

const struct usage_pool usage_pools[POOL_COUNT] = {
	[POOL_DRAM] = { USE_DRAM, USE_PEAK_DRAM }, [POOL_L1] = { USE_L1, USE_PEAK_L1 },
	[POOL_SYSTEM] = { .bytes = USE_SYSTEM },   [POOL_L1_SMALL] = { .bytes = USE_L1_SMALL },
	[POOL_TRACE] = { .bytes = USE_TRACE },	   [POOL_CB] = { .bytes = USE_CB },
	[POOL_KERNEL] = { .bytes = USE_KERNEL },
};

void process_init(struct process *process, int32_t pid)
{
	*process = (struct process){ .pid = pid };
	memset(process->why, NOT_ASKED, sizeof(process->why));
	process->why[PROC_PID] = pid > 0 ? KNOWN : OTHER_NAMESPACE;
	process->why[PROC_PROGRAM] = NOT_APPLICABLE;
	process_set_role(process, ROLE_JOB);
}

void process_done(struct process *process)
{
	for (size_t i = 0; i < process->n_usages; i++)
		allocation_list_reset(&process->usages[i].list, NOT_ASKED);
	free(process->command);
	free(process->usages);
	*process = (struct process){ 0 };
}

struct usage *process_find_usage(const struct process *process, size_t device)
{
	for (size_t i = 0; i < process->n_usages; i++)
		if (process->usages[i].device == device)
			return &process->usages[i];
	return NULL;
}

struct usage *process_use(struct process *process, size_t device)
{
	struct usage *usage = process_find_usage(process, device), *grown;
	size_t at = process->n_usages;

	if (usage)
		return usage;
	grown = reallocarray(process->usages, process->n_usages + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	process->usages = grown;
	process->n_usages++;
	for (; at > 0 && grown[at - 1].device > device; at--)
		grown[at] = grown[at - 1];
	grown[at] = (struct usage){ .device = device, .list.why = NO_TRACKER };
	memset(grown[at].why, NO_TRACKER, sizeof(grown[at].why));
	grown[at].why[USE_TRACKING] = KNOWN;
	return &grown[at];
}

bool process_total(const struct process *process, enum usage_field field, uint64_t *ret)
{
	uint64_t sum = 0;
	bool known = false;

	for (size_t i = 0; i < process->n_usages; i++) {
		const struct usage *usage = &process->usages[i];
		struct value value;

		field_get(&usage_fields, field, usage, &value);
		if (value.why != KNOWN || usage->stale)
			continue;
		known = true;
		sum += value.exact;
	}
	*ret = sum;
	return known;
}

void usage_blame(struct usage *usage, enum reason why)
{
	for (unsigned i = 0; i < USAGE_N_FIELDS; i++)
		if (usage->why[i] == NO_TRACKER)
			usage->why[i] = (uint8_t)why;
}

void process_set_holding(struct process *process, enum holding how)
{
	process->holding = how;
	process->why[PROC_HOLDING] = KNOWN;
}

void process_set_role(struct process *process, enum role role)
{
	process->role = role;
	process->why[PROC_ROLE] = KNOWN;
}

/* A string field is known if there is something in it. */
static void set_known(struct process *process, enum process_field field, const char *text)
{
	process->why[field] = text[0] ? KNOWN : NOT_APPLICABLE;
}

void process_set_owner(struct process *process, const struct owner *owner)
{
	char *text = process->owner_text;
	size_t size = sizeof(process->owner_text);

	process->owner = *owner;
	text[0] = '\0';
	if (owner->slurm_job[0])
		snprintf(text, size, "slurm %s%s%s", owner->slurm_job,
			 owner->slurm_step[0] ? "." : "", owner->slurm_step);
	else if (owner->pod[0])
		snprintf(text, size, "pod %s", owner->pod);
	else if (owner->container[0])
		snprintf(text, size, "%s %.12s", owner->runtime, owner->container);
	else if (owner->unit[0])
		snprintf(text, size, "%s", owner->unit);
	set_known(process, PROC_OWNER, text);
	set_known(process, PROC_CONTAINER, owner->container);
	set_known(process, PROC_RUNTIME, owner->runtime);
	set_known(process, PROC_POD, owner->pod);
	set_known(process, PROC_SLURM_JOB, owner->slurm_job);
	set_known(process, PROC_SLURM_STEP, owner->slurm_step);
	set_known(process, PROC_UNIT, owner->unit);
}

static bool is_interpreter(const char *name)
{
	static const char *const names[] = {
		"python", "pypy", "perl", "ruby", "node", "bash", "sh"
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t length = strlen(names[i]);

		if (strncmp(name, names[i], length) == 0 &&
		    strspn(name + length, "0123456789.") == strlen(name + length))
			return true;
	}
	return false;
}

/*
 * The first argument that is no option, base name only: "python3 -u a/b.py" runs
 * b.py. After -m and -c the next word is a module or code: taken as it stands.
 */
static const char *find_script(const char *command, size_t *ret_length)
{
	const char *word = strchr(command, ' ');

	while (word) {
		const char *base = ++word, *end;

		end = word + strcspn(word, " ");
		if (word[0] != '-') {
			for (const char *p = word; p < end; p++)
				if (*p == '/')
					base = p + 1;
			*ret_length = (size_t)(end - base);
			return *ret_length ? base : NULL;
		}
		word = *end ? end : NULL;
	}
	return NULL;
}

const char *process_script(const char *program, const char *command, size_t *ret_length)
{
	return is_interpreter(program) ? find_script(command, ret_length) : NULL;
}

void process_label(const struct process *process, char *text, size_t size)
{
	const char *script = NULL;
	size_t length = 0;

	if (process_knows(process, PROC_PROGRAM)) {
		snprintf(text, size, "%s", process->program);
		return;
	}
	if (!process_knows(process, PROC_NAME)) {
		snprintf(text, size, "%s", process->pid > 0 ? "?" : "(outside this pid namespace)");
		return;
	}
	if (process_knows(process, PROC_COMMAND))
		script = process_script(process->name, process->command, &length);
	if (script)
		snprintf(text, size, "%s %.*s", process->name, (int)MIN(length, size), script);
	else
		snprintf(text, size, "%s", process->name);
}
