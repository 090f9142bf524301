/* The figures of a process's chips, from the records and the launches that were read before. */
#pragma once

#include "trace/program_process.h"

/* Computes the figures of all chips. */
void program_judge(struct program_process *process);
