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
	bool takes_more; /* options and files */
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
		"stay, and look for new programs each second", option_flag, AT(watch) },
	{ "--max-buffers", ARGUMENT, "N",
		"buffers that the kernel keeps at most (default 262144)",
		set_max_buffers, AT(tracer.max_buffers) },
	{ "-v --verbose", NO_ARGUMENT, NULL,
		"also print what the kernel says about the programs",
		option_flag, AT(tracer.verbose) },
	{ "-h --help", NO_ARGUMENT, NULL, "this help", option_flag, AT(help) },
	{ "-V --version", NO_ARGUMENT, NULL, "print the version", option_flag, AT(version) },
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
		"Follows the device memory of programs that do not report it.\n"
		"\n"
		"start    puts BPF probes on TT-Metal's library, as used by programs that hold a\n"
		"         card, and on each FILE; what is pinned stays when the command has ended\n"
		"stop     removes all of it\n"
		"status   what is attached, which processes are followed, which are not and why\n"
		"\n"
		"Options of start:\n");
	option_put_help(out, &table);
	buf_puts(out, "\nEverybody may then read /run/tt-smi/bpf/allocations and "
		      "/run/tt-smi/bpf/holders.\n"
		      "\n"
		      "Exit status: 0 fine, for status: loaded; 1 status: not loaded; 2 usage;\n"
		      "3 this kernel cannot do it; 4 no permission; 74 output not written;\n"
		      "255 internal error\n");
}

static bool has_more(const struct trace_options *options)
{
	return options->files[0] || options->watch || options->tracer.max_buffers ||
	       options->tracer.verbose;
}

static int print(const struct trace_options *options)
{
	CLEANUP_BUF struct buf text = { 0 };

	if (options->help)
		put_help(&text);
	else
		buf_puts(&text, "tt_smi-trace " TT_SMI_VERSION "\n");
	if (fputs(buf_text(&text), stdout) < 0 || fflush(stdout))
		return complain(EXIT_OUTPUT, "cannot write standard output");
	return EXIT_FINE;
}

int main(int argc, char **argv)
{
	/* For tests of what older kernels need. */
	const char *attach = getenv("TT_SMI_TRACE_ATTACH");
	struct trace_options options = {
		.tracer.no_multi = attach && strcmp(attach, "perf") == 0,
	};
	CLEANUP_BUF struct buf error = { 0 };
	struct option_words words;
	const char *command;
	int code;

	umask(0022); /* what is made is for everybody to read, whatever root is used to */
	code = option_parse(&table, argc, argv, &options, &words, &error);
	if (code)
		return complain(code, "%s", buf_text(&error));
	if (options.help || options.version)
		return print(&options);
	command = words.operands[0];
	if (!command)
		return complain(EXIT_USAGE, "start, stop or status? (-h for help)");
	options.files = words.operands + 1;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		if (strcmp(command, commands[i].name) != 0)
			continue;
		if (!commands[i].takes_more && has_more(&options))
			return complain(EXIT_USAGE, "%s takes nothing more", commands[i].name);
		return commands[i].run(&options);
	}
	return complain(EXIT_USAGE, "\"%s\" is not start, stop or status", command);
}
