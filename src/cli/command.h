/* The commands, and how a command line selects one. */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"

enum command {
	COMMAND_SHOW, /* the default */
	COMMAND_MEM,
	COMMAND_RUN,
	COMMAND_WAIT,
	COMMAND_SELECT,
	COMMAND_TRACE,
	COMMAND_DOCTOR,
	COMMAND_CHECK,
	COMMAND_DMON,
	COMMAND_PMON,
	COMMAND_TOPO,
	COMMAND_SERVE,
	COMMAND_FLEET,
	COMMAND_SIM,
	COMMAND_HELP, /* never found: the command that it explains is */
	COMMANDS,
};

/*
 * Selects by the program's name or by the first word that is not an option, argv[at] (argc: there
 * is none), else the default. Moves that word to the front, so that argv[0] is the program or the
 * command. "help COMMAND" becomes "COMMAND --help". Returns an exit code, after printing the error.
 * option_unknown: there is an unknown option before that word; if it is no command, the default
 * command names that option.
 */
MUST_CHECK int command_find(int *argc, char ***argv, int at, bool option_unknown,
			    enum command *ret);

void commands_help(struct buf *out);
