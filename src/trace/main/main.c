/*
 * tt_smi-trace: traces the device memory of programs that do not report it, with BPF probes in
 * TT-Metal's library. `tt_smi trace` executes it.
 */
#include "trace/commands.h"
#include "version.h"

#include "basic/option.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const struct {
	const char *name;
	int (*run)(const struct trace_options *options);
	bool takes_more; /* accepts options and files */
} commands[] = {
	{ "start", command_start, true },
	{ "stop", command_stop, false },
	{ "status", command_status, false },
};

static int set_max_buffers(const struct option_given *given, void *member)
{
	return option_number(given, 1, 1U << 26, member);
}

#define AT(member) offsetof(struct trace_options, member)

static const struct option_spec rows[] = {
	/* clang-format off */
	{ "--watch", NO_ARGUMENT, NULL,
		"keep running, look for new programs every second, and measure utilisation", option_flag, AT(watch) },
	{ "--programs", NO_ARGUMENT, NULL,
		"with --watch: follow each launch of a program, for exact utilisation",
		option_flag, AT(follow.launches) },
	{ "--names", NO_ARGUMENT, NULL,
		"with --watch: record the name of each operation, to show which takes most time",
		option_flag, AT(follow.names) },
	{ "--max-buffers", ARGUMENT, "N",
		"highest number of live buffers, of all processes together (default 262144)",
		set_max_buffers, AT(tracer.max_buffers) },
	{ "-v --verbose", NO_ARGUMENT, NULL,
		"also print the messages of the kernel and of libbpf",
		option_flag, AT(tracer.verbose) },
	OPTION_HELP(AT(help)),
	OPTION_VERSION(AT(version)),
	/* clang-format on */
};

static const struct option_table table = { rows, ARRAY_SIZE(rows), "tt_smi trace", OPERANDS_ANY };

static void put_help(struct buf *out)
{
	buf_puts(
		out,
		"Usage: tt_smi trace start [OPTION]... [FILE]...\n"
		"       tt_smi trace stop\n"
		"       tt_smi trace status\n"
		"Traces device memory and utilisation of programs that do not report them.\n"
		"\n"
		"start    attaches BPF probes to the library of TT-Metal in programs with an open\n"
		"         device, and to each FILE; the probes stay when the command ends\n"
		"stop     removes all probes\n"
		"status   shows attached files, traced processes, and why others are not traced\n"
		"\n"
		"Options of start:\n");
	option_put_help(out, &table);
	buf_puts(out,
		 "\nAll users can then read /run/tt-smi/bpf/allocations and holders, and, with\n"
		 "--watch, compute utilisation in /run/tt-smi/bpf/dispatch.\n"
		 "\n"
		 "Exit status: 0 fine, for status: loaded; 1 status: not loaded; 2 wrong usage;\n"
		 "3 not supported by this kernel; 4 permission denied; 74 output not written;\n"
		 "255 internal error.\n");
}

static bool has_more(const struct trace_options *options)
{
	return options->files[0] || options->watch || options->follow.launches ||
	       options->follow.names || options->tracer.max_buffers || options->tracer.verbose;
}

static int print(const struct trace_options *options)
{
	CLEANUP_BUF struct buf text = { 0 };

	if (options->help)
		put_help(&text);
	else
		buf_puts(&text, "tt_smi-trace " TT_SMI_VERSION "\n");
	if (fputs(buf_text(&text), stdout) < 0 || fflush(stdout))
		return print_error(EXIT_OUTPUT, "cannot write standard output");
	return EXIT_FINE;
}

int main(int argc, char **argv)
{
	/* For tests of the code for older kernels. */
	const char *attach = getenv("TT_SMI_TRACE_ATTACH");
	struct trace_options options = {
		.tracer.no_multi = attach && strcmp(attach, "perf") == 0,
	};
	CLEANUP_BUF struct buf error = { 0 };
	struct option_words words;
	const char *command;
	int code;

	/* pinned files must be readable for all users, whatever root's umask is */
	umask(0022);
	code = option_parse(&table, argc, argv, &options, &words, &error);
	if (code)
		return print_error(code, "%s", buf_text(&error));
	if (options.help || options.version)
		return print(&options);
	command = words.operands[0];
	if (!command)
		return print_error(EXIT_USAGE,
				   "no command: start, stop or status; -h explains them");
	options.files = words.operands + 1;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		if (strcmp(command, commands[i].name) != 0)
			continue;
		if (!commands[i].takes_more && has_more(&options))
			return print_error(EXIT_USAGE, "%s accepts no options and no files",
					   commands[i].name);
		return commands[i].run(&options);
	}
	return print_error(EXIT_USAGE, "\"%s\" is not start, stop or status", command);
}
