/*
 * The programs that a workload runs on its chips.
 *
 * The host's part is real: it calls the functions of TT-Metal by which programs are launched, and
 * receives what the chips write into the rings of TT-Metal's profiler. The chips' part follows a
 * schedule: a chip runs each program when it is due, or when it has been launched if that is later,
 * and does nothing while it is stopped.
 */
#pragma once

#include "basic/macros.h"
#include "worker_job.h"

#include <stdbool.h>
#include <stdint.h>

struct sim_programs;

/* Does the job run programs, and have them measured? */
bool programs_are_run(const struct worker_job *job);

/*
 * Does TT-Metal's profiler cover the chip? On n300, dispatch runs on Ethernet cores, which it does
 * not.
 */
bool programs_are_covered(const struct worker_device *device);

/* -errno after an error on stderr. */
MUST_CHECK int programs_open(struct sim_programs **ret, const struct worker_job *job);
void programs_close(struct sim_programs *programs);

/* The chips that do nothing from now on: a bit per device, by its position in the machine. */
void programs_stop_chips(struct sim_programs *programs, uint64_t stopped);

/*
 * Does what is due, in chips and host. Returns when the next thing is due, in ns of
 * CLOCK_MONOTONIC.
 */
int64_t programs_step(struct sim_programs *programs);

/* Has it run for long enough that figures are near those of the schedule? */
bool programs_are_settled(const struct sim_programs *programs);
