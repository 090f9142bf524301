/*
 * Users, jobs and pods of a simulated fleet. Every other process of a machine belongs to a Slurm
 * job, which runs on four consecutive machines, and the others to pods.
 */
#pragma once

#include "model/process.h"

/* Sets user and owner of a process, by the number of the machine and the process's rank on it. */
void fleet_owner_set(struct process *process, unsigned number, size_t rank);
