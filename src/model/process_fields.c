/* The tables of process and usage fields, in the order of all outputs. */
#include "model/process.h"

#include "basic/macros.h"
#include "model/device.h"

#define AT(member) offsetof(struct process, member)

/* clang-format off */
static const struct field process_table[PROCESS_N_FIELDS] = {
	[PROC_PID] = { "pid", NULL, "pid", "PIDS", "Process Id",
		"process id in our namespace", K_I32, U_NONE, AT(pid),
		.column = { "PID", 7, .screen = 8, .align = ALIGN_RIGHT } },
	[PROC_NS_PID] = { "ns_pid", NULL, "ns_pid", "PIDS", "Namespace Pid",
		"process id in its own namespace", K_I32, U_NONE, AT(ns_pid) },
	[PROC_NAME] = { "process_name", "name", "name", "PIDS", "Name",
		"base name of the program", K_STRING, U_NONE, AT(name),
		.column = { "Name", 19, 16 } },
	[PROC_PROGRAM] = { "program", NULL, "program", "PIDS", "Program",
		"what the program calls itself, if it reports its memory", K_STRING, U_NONE, AT(program) },
	[PROC_COMMAND] = { "command", NULL, "command", "PIDS", "Command",
		"command line", K_TEXT, U_NONE, AT(command),
		.column = { "Command", 29, .screen = 14 } },
	[PROC_USER] = { "user", NULL, "user", "PIDS", "User",
		"owner", K_STRING, U_NONE, AT(user),
		.needs = FIELDS(PROCESS_FIELD(UID)),
		.column = { "User", 9 } },
	[PROC_UID] = { "uid", NULL, "uid", "PIDS", "Uid",
		"owner's number", K_U32, U_NONE, AT(uid) },
	[PROC_START_TIME] = { "start_time", NULL, "start_time", "PIDS", "Start Time",
		"when it started", K_DOUBLE, U_TIME, AT(start_time) },
	[PROC_ELAPSED] = { "elapsed", "time", "elapsed", "PIDS", "Elapsed",
		"time since its start", K_DOUBLE, U_SECOND, AT(elapsed),
		.column = { "Time", 9, .screen = 10, .align = ALIGN_RIGHT } },
	[PROC_STATE] = { "process_state", NULL, "state", "PIDS", "State",
		"running, sleeping, disk, stopped, zombie…", K_ENUM, U_NONE, AT(state), .names = process_state_names,
		.column = { "State", 9 } },
	[PROC_CPU] = { "cpu", NULL, "cpu", "PIDS", "Host CPU",
		"host CPU since the last sample, or since its start in the first", K_DOUBLE, U_RATIO, AT(cpu),
		.column = { "CPU%", 6, .align = ALIGN_RIGHT } },
	[PROC_HOST_MEMORY] = { "host_memory", NULL, "host_memory", "PIDS", "Host Memory",
		"resident host memory", K_U64, U_BYTE, AT(host_memory),
		.column = { "Host", 9, .align = ALIGN_RIGHT } },
	[PROC_OWNER] = { "owner", NULL, "owner", "PIDS", "Owner",
		"Slurm job, pod, container or unit", K_TEXT, U_NONE, AT(owner.text),
		.column = { "Owner", 21, .screen = 20 } },
	[PROC_CONTAINER] = { "container", NULL, "container.id", "PIDS", "Container",
		"container id or name", K_TEXT, U_NONE, AT(owner.container),
		.needs = FIELDS(PROCESS_FIELD(OWNER)) },
	[PROC_RUNTIME] = { "container.runtime", NULL, "container.runtime", "PIDS", "Container Runtime",
		"container runtime", K_TEXT, U_NONE, AT(owner.runtime),
		.needs = FIELDS(PROCESS_FIELD(OWNER)) },
	[PROC_POD] = { "pod", "pod.uid", "pod.uid", "PIDS", "Pod",
		"Kubernetes pod uid", K_TEXT, U_NONE, AT(owner.pod),
		.needs = FIELDS(PROCESS_FIELD(OWNER)) },
	[PROC_SLURM_JOB] = { "slurm.job_id", NULL, "slurm.job_id", "PIDS", "Slurm Job",
		"Slurm job", K_TEXT, U_NONE, AT(owner.slurm_job),
		.needs = FIELDS(PROCESS_FIELD(OWNER)) },
	[PROC_SLURM_STEP] = { "slurm.step", NULL, "slurm.step", "PIDS", "Slurm Step",
		"Slurm step", K_TEXT, U_NONE, AT(owner.slurm_step),
		.needs = FIELDS(PROCESS_FIELD(OWNER)) },
	[PROC_UNIT] = { "unit", NULL, "unit", "PIDS", "Unit",
		"systemd unit", K_TEXT, U_NONE, AT(owner.unit),
		.needs = FIELDS(PROCESS_FIELD(OWNER)) },
	[PROC_HOLDING] = { "holding", NULL, "holding", "PIDS", "Holding",
		"evidence: seen (descriptor or mapping), listed (by the driver, not checked), opener gone, counters", K_ENUM, U_NONE, AT(holding), .names = holding_names },
	[PROC_ROLE] = { "role", NULL, "role", "PIDS", "Role",
		"job, or monitor: a known program that only reads the device's state and has no memory there", K_ENUM, U_NONE, AT(role), .names = role_names },
	[PROC_QUIET] = { "process_quiet", NULL, "quiet", "PIDS", "Quiet",
		"time since its memory changed or a program of it ended, or since observation began; needs a loop, the allocation server or the tracer", K_DOUBLE, U_SECOND, AT(quiet),
		.needs = FIELDS(PART(UTILIZATION)) },
};

#undef AT
#define AT(member) offsetof(struct usage, member)

static const struct field usage_table[USAGE_N_FIELDS] = {
	[USE_DRAM] = { "used_memory", "used_gpu_memory memory.used memory.dram", "dram", "PIDS", "DRAM",
		"DRAM, trace buffers included", K_U64, U_BYTE, AT(bytes[POOL_DRAM]),
		.needs = FIELDS(DEVICE_FIELD(DRAM_TOTAL)),
		.column = { "DRAM", 11, 9, .screen = 9, .align = ALIGN_RIGHT } },
	[USE_L1] = { "memory.l1", NULL, "l1", "PIDS", "L1",
		"L1, L1_SMALL included", K_U64, U_BYTE, AT(bytes[POOL_L1]),
		.needs = FIELDS(DEVICE_FIELD(L1_TOTAL)),
		.column = { "L1", 11, 8, .screen = 9, .align = ALIGN_RIGHT } },
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
		.column = { "Peak", 9, .align = ALIGN_RIGHT } },
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
		"no allocation is known to be missing; if not, the figures are lower bounds", K_BOOL, U_NONE, AT(exact) },
	[USE_TRACKING] = { "tracking", NULL, "tracking", "PIDS", "Tracking",
		"source of these figures: table, wire, preload, traced, metal; none", K_ENUM, U_NONE, AT(tracking), .names = tracking_names },
	[USE_UTILIZATION] = { "utilization", "gpu_utilization", "utilization.dispatch", "PIDS", "Dispatch",
		"share of the last second in which a program of it ran on the cores", K_DOUBLE, U_RATIO, AT(utilization.share),
		.needs = FIELDS(PART(UTILIZATION)),
		.column = { "Compute", 8, .align = ALIGN_RIGHT } },
	UTILIZATION_DETAILS(USE_UTILIZATION, "PIDS", struct usage)
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
