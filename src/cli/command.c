#include "cli/command.h"

#include "cli/doctor.h"
#include "cli/mem.h"
#include "cli/run.h"
#include "cli/show.h"
#include "cli/sim.h"
#include "cli/trace.h"

#include <string.h>

/* The first is what no word means. */
static const struct command commands[] = {
	{ "show", NULL, show_main, "devices and processes; the same as no command" },
	{ "mem", "allocation_monitor_client", mem_main,
	  "memory: bars, history, processes, allocations" },
	{ "run", NULL, run_main, "a program whose memory is to be counted" },
	{ "trace", NULL, trace_main, "memory of programs that report nothing" },
	{ "doctor", NULL, doctor_main, "what is wrong or not known, and what would help" },
	{ "sim", NULL, sim_main, "a simulated machine, to try tt_smi without a card" },
};

static bool is_called(const struct command *command, const char *program)
{
	const char *slash = strrchr(program, '/');

	return command->called && strcmp(slash ? slash + 1 : program, command->called) == 0;
}

const struct command *command_find(int *argc, char ***argv)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		if (*argc > 0 && is_called(&commands[i], (*argv)[0]))
			return &commands[i];
		if (*argc > 1 && strcmp((*argv)[1], commands[i].name) == 0) {
			++*argv;
			--*argc;
			return &commands[i];
		}
	}
	return &commands[0];
}

void commands_help(struct buf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		buf_printf(out, "  %-28s%s\n", commands[i].name, commands[i].help);
}
