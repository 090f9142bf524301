/* The lines of the file /run/tt-smi/bpf/dispatch, as entries of a BPF map. */
#pragma once

#include "trace/program_process.h"
#include "trace/tracer.h"

/* The number of the chip in a line that is for all chips of the process. */
#define LINE_ALL_CHIPS UINT32_MAX

void program_lines_publish(const struct tracer *tracer, struct program_process *process);

/* Removes the lines of a process. */
void program_lines_remove(const struct tracer *tracer, const struct program_process *process);

/* The line of a device that several processes use. */
void program_lines_publish_device(const struct tracer *tracer, uint32_t index,
				  const struct program_figure *figure, int64_t now);
void program_lines_remove_device(const struct tracer *tracer, uint32_t index);
