/*
 * The signals by which a program dies without cleaning up: SIGKILL and those of a crash. It may
 * leave a device in a state that makes the next job slow or hang. Programs clean up when they end
 * by SIGINT, SIGTERM or SIGHUP.
 *
 * Included by BPF programs too, so the numbers are written out; model/dirty.c compares them with
 * those of the C library.
 */
#pragma once

enum abrupt_signal {
	ABRUPT_QUIT = 3,
	ABRUPT_ILL = 4,
	ABRUPT_TRAP = 5,
	ABRUPT_ABRT = 6,
	ABRUPT_BUS = 7,
	ABRUPT_FPE = 8,
	ABRUPT_KILL = 9,
	ABRUPT_SEGV = 11,
	ABRUPT_SYS = 31,
};

/* One bit per signal. */
#define ABRUPT_SIGNALS                                                                  \
	(1U << ABRUPT_QUIT | 1U << ABRUPT_ILL | 1U << ABRUPT_TRAP | 1U << ABRUPT_ABRT | \
	 1U << ABRUPT_BUS | 1U << ABRUPT_FPE | 1U << ABRUPT_KILL | 1U << ABRUPT_SEGV |  \
	 1U << ABRUPT_SYS)

/* signal: 0 to 127. */
#define IS_ABRUPT(signal) ((signal) < 32 && ABRUPT_SIGNALS >> (signal)&1)
