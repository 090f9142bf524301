/* A process identified by pid and start time, since pids are reused. */
#pragma once

#include "model/process.h"

#include <stdbool.h>
#include <stdint.h>

struct process_id {
	int32_t pid;
	uint64_t start_ticks;
};

static inline struct process_id process_id_of(const struct process *process)
{
	return (struct process_id){ process->pid, process->start_ticks };
}

static inline bool process_id_matches(const struct process_id *id, const struct process *process)
{
	return id->pid == process->pid && id->start_ticks == process->start_ticks;
}
