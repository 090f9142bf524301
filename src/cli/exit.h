/* Exit codes, made for `if`: where nvidia-smi has a meaning, it is kept. */
#pragma once

enum exit_code {
	EXIT_FINE = 0,
	EXIT_MEND = 1, /* tt_smi doctor: something is not as it should be */
	EXIT_USAGE = 2,
	EXIT_UNAVAILABLE = 3,
	EXIT_PERMISSION = 4,
	EXIT_NO_DEVICE = 6,
	EXIT_NO_DRIVER = 9,
	EXIT_LOST = 15,
	EXIT_NO_SERVER = 16,
	EXIT_OUTPUT = 74,
	EXIT_NOT_EXECUTABLE = 126, /* as env(1) */
	EXIT_NO_COMMAND = 127,
	EXIT_INTERNAL = 255,
};
