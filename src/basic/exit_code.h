/*
 * Exit codes of all programs, made for `if`: where nvidia-smi has a meaning, it is kept. README.md
 * and man/tt_smi.1 list them; a test compares.
 */
#pragma once

enum exit_code {
	EXIT_FINE = 0,
	EXIT_PROBLEMS = 1,    /* doctor: problems found; trace status: nothing is traced */
	EXIT_USAGE = 2,	      /* wrong command line */
	EXIT_UNAVAILABLE = 3, /* the kernel cannot do it, or the program was built without */
	EXIT_PERMISSION = 4,
	EXIT_NO_DEVICE = 6,
	EXIT_NO_DRIVER = 9,
	EXIT_LOST = 15, /* a device does not answer any more */
	EXIT_NO_SERVER = 16,
	EXIT_OUTPUT = 74,	   /* the output could not be written */
	EXIT_NOT_EXECUTABLE = 126, /* as env(1) */
	EXIT_NO_COMMAND = 127,
	EXIT_INTERNAL = 255,
};
