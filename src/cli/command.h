/* Commands: which there are, and which one a command line means. */
#pragma once

#include "basic/buf.h"

enum command {
	COMMAND_SHOW, /* what is done without a word */
	COMMAND_MEM,
	COMMAND_RUN,
	COMMAND_TRACE,
	COMMAND_DOCTOR,
	COMMAND_SIM,
	COMMANDS,
};

/*
 * The one that is meant: by the program's name, the first word, or none. Skips that word, so that
 * argv[0] is the program or the command.
 */
enum command command_find(int *argc, char ***argv);

void commands_help(struct buf *out);
