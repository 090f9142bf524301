#include "cli/command.h"

#include <string.h>

static const struct {
	const char *name;
	const char *called; /* also chosen by this name of the program, or NULL */
	const char *help;
} commands[COMMANDS] = {
	[COMMAND_SHOW] = { "show", NULL, "devices and processes; the same as no command" },
	[COMMAND_MEM] = { "mem", "allocation_monitor_client",
			  "memory: bars, history, processes, allocations" },
	[COMMAND_RUN] = { "run", NULL, "run a program and count its device memory" },
	[COMMAND_TRACE] = { "trace", NULL, "memory of programs that do not report it" },
	[COMMAND_DOCTOR] = { "doctor", NULL, "what is wrong or not known, and how to fix it" },
	[COMMAND_SIM] = { "sim", NULL, "a simulated machine, to try tt_smi without a card" },
};

static bool is_called(enum command command, const char *program)
{
	const char *slash = strrchr(program, '/'), *called = commands[command].called;

	return called && strcmp(slash ? slash + 1 : program, called) == 0;
}

enum command command_find(int *argc, char ***argv)
{
	for (enum command i = 0; i < COMMANDS; i++) {
		if (*argc > 0 && is_called(i, (*argv)[0]))
			return i;
		if (*argc > 1 && strcmp((*argv)[1], commands[i].name) == 0) {
			++*argv;
			--*argc;
			return i;
		}
	}
	return COMMAND_SHOW;
}

void commands_help(struct buf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		buf_printf(out, "  %-28s%s\n", commands[i].name, commands[i].help);
}
