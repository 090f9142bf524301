#include "cli/command.h"

#include "basic/exit_code.h"
#include "basic/suggestion.h"
#include "cli/error_line.h"

#include <string.h>

static const struct {
	const char *name;
	const char *called; /* name of the program that also selects it, or NULL */
	const char *help;
} commands[COMMANDS] = {
	[COMMAND_SHOW] = { "show", NULL, "devices and processes; the same as no command" },
	[COMMAND_MEM] = { "mem", "allocation_monitor_client",
			  "memory: bars, history, processes, allocations" },
	[COMMAND_RUN] = { "run", NULL, "run a program on free devices, count its memory" },
	[COMMAND_WAIT] = { "wait", NULL, "wait until devices are free" },
	[COMMAND_SELECT] = { "select", NULL, "print free devices, for TT_VISIBLE_DEVICES" },
	[COMMAND_TRACE] = { "trace", NULL, "count memory of programs that do not report it" },
	[COMMAND_DOCTOR] = { "doctor", NULL, "find problems and unknown values, with fixes" },
	[COMMAND_CHECK] = { "check", NULL, "is the machine fit for work? one line, exit code" },
	[COMMAND_DMON] = { "dmon", NULL, "a line per device and sample, as nvidia-smi dmon" },
	[COMMAND_PMON] = { "pmon", NULL, "a line per process, as nvidia-smi pmon" },
	[COMMAND_TOPO] = { "topo", NULL, "how far apart devices are on the PCI bus" },
	[COMMAND_SERVE] = { "serve", NULL, "serve metrics for Prometheus, JSON, a web page" },
	[COMMAND_FLEET] = { "fleet", NULL, "many machines, from a Prometheus server" },
	[COMMAND_SIM] = { "sim", NULL, "a simulated machine, to try tt_smi without a card" },
	[COMMAND_HELP] = { "help", NULL, "explain a command" },
};

static bool is_called(enum command command, const char *program)
{
	const char *slash = strrchr(program, '/'), *called = commands[command].called;

	return called && strcmp(slash ? slash + 1 : program, called) == 0;
}

static enum command find_name(const char *word)
{
	enum command i = 0;

	while (i < COMMANDS && strcmp(word, commands[i].name) != 0)
		i++;
	return i;
}

static int fail_unknown(const char *word)
{
	struct suggestion near = suggestion_begin(word, strlen(word));

	for (enum command i = 0; i < COMMANDS; i++)
		suggestion_try(&near, commands[i].name, strlen(commands[i].name));
	if (near.best)
		return error_line(
			EXIT_USAGE,
			"unknown command \"%s\" (did you mean \"%s\"?); tt_smi -h lists them", word,
			near.best);
	return error_line(EXIT_USAGE, "unknown command \"%s\"; tt_smi -h lists them", word);
}

/* "tt_smi -i 0 mem -r 500" is "mem -i 0 -r 500". */
static void move_to_front(char **argv, int at)
{
	char *word = argv[at];

	memmove(argv + 2, argv + 1, (size_t)(at - 1) * sizeof(*argv));
	argv[1] = word;
}

/* argv[at] is the command to explain, after the options that stood before "help". */
static int find_help(int *argc, char ***argv, int at, enum command *ret)
{
	static char option[] = "--help", *line[3];
	char *word = at < *argc ? (*argv)[at] : (*argv)[0];

	*ret = find_name(word);
	if (*ret == COMMANDS)
		return fail_unknown(word);
	if (*ret == COMMAND_HELP)
		*ret = COMMAND_SHOW;
	line[0] = word;
	line[1] = option;
	*argv = line;
	*argc = 2;
	return 0;
}

int command_find(int *argc, char ***argv, int at, bool option_unknown, enum command *ret)
{
	for (*ret = 0; *ret < COMMANDS; ++*ret)
		if (*argc > 0 && is_called(*ret, (*argv)[0]))
			return 0;
	*ret = COMMAND_SHOW;
	if (at >= *argc)
		return 0;
	*ret = find_name((*argv)[at]);
	if (*ret == COMMANDS && option_unknown) {
		*ret = COMMAND_SHOW;
		return 0;
	}
	if (*ret == COMMANDS)
		return fail_unknown((*argv)[at]);
	move_to_front(*argv, at);
	++*argv;
	--*argc;
	return *ret == COMMAND_HELP ? find_help(argc, argv, at, ret) : 0;
}

void commands_help(struct buf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		buf_printf(out, "  %-28s%s\n", commands[i].name, commands[i].help);
}
