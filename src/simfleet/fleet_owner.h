/* Users and jobs of a simulated fleet. A job runs on four consecutive machines. */
#pragma once

#include "model/process.h"

/* Sets user and owner of a process, by the number of the machine and the process's rank on it. */
void fleet_owner_set(struct process *process, unsigned number, size_t rank);
