/* Commands: which there are, and which one a command line means. */
#pragma once

#include "basic/buf.h"

enum command {
	COMMAND_SHOW, /* the default */
	COMMAND_MEM,
	COMMAND_RUN,
	COMMAND_TRACE,
	COMMAND_DOCTOR,
	COMMAND_SIM,
	COMMANDS,
};

/*
 * Chosen by the program's name or the first word, else the default. Skips that word, so that
 * argv[0] is the program or the command.
 */
enum command command_find(int *argc, char ***argv);

void commands_help(struct buf *out);
