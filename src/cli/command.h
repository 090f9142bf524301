/* Commands: a table of name, function and help. */
#pragma once

#include "basic/buf.h"

struct command {
	const char *name;
	const char *called;		   /* also chosen by this name of the program, or NULL */
	int (*run)(int argc, char **argv); /* an exit code; argv[0] is the program or the command */
	const char *help;
};

/* The one that is meant: by the program's name, the first word, or none. Skips that word. */
const struct command *command_find(int *argc, char ***argv);

void commands_help(struct buf *out);
