/*
 * Exit codes of all programs, usable in shell conditions; those that nvidia-smi has are the same.
 * README.md and man/tt_smi.1 list them, and other manual pages those of their program; a test
 * compares.
 */
#pragma once

enum exit_code {
	EXIT_FINE = 0,
	/* 1 means something else in each program. */
	EXIT_WARNINGS = 1,   /* doctor: warnings, no failures */
	EXIT_NOT_LOADED = 1, /* trace status: the probes are not loaded */
	EXIT_FAILED = 1, /* tt_allocd, tt_smi-serve, -sim, -fleet -w: cannot start, or continue */

	EXIT_USAGE = 2,	      /* wrong command line */
	EXIT_UNAVAILABLE = 3, /* not supported by the kernel or this build; no view of other runs */
	EXIT_PERMISSION = 4,
	EXIT_DEFECT = 5, /* doctor: something does not work */
	EXIT_NO_DEVICE = 6,
	EXIT_TIMEOUT = 7, /* wait, run --wait: timed out */
	EXIT_TOO_FEW = 8, /* select, run --devices: fewer devices are free; wait: there are fewer */
	EXIT_NO_DRIVER = 9,
	EXIT_LOST = 15,		   /* a device no longer responds */
	EXIT_NO_SERVER = 16,	   /* no allocation server; fleet: the server does not answer */
	EXIT_OUTPUT = 74,	   /* the output could not be written */
	EXIT_NOT_EXECUTABLE = 126, /* as in env(1) */
	EXIT_NO_COMMAND = 127,
	EXIT_INTERNAL = 255,
};

/* Those of tt_smi check, which are the ones of monitoring plugins. */
enum check_exit { CHECK_FINE, CHECK_WARNING, CHECK_CRITICAL, CHECK_UNKNOWN };
