/*
 * tt_smi-trace: traces the device memory of programs that do not report it, with BPF probes in
 * TT-Metal's library. `tt_smi trace` executes it.
 */
#include "trace/commands.h"
#include "version.h"

#include "basic/parse.h"

#include <getopt.h>
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

static const char help[] =
	"Follow the device memory of programs that nobody instrumented\n"
	"\n"
	"Usage: tt_smi trace start [OPTION...] [FILE...]\n"
	"       tt_smi trace stop\n"
	"       tt_smi trace status\n"
	"\n"
	"start    puts BPF probes on TT-Metal's library as programs that hold a card use it, and\n"
	"         on each FILE; what is pinned stays when the command has ended\n"
	"stop     takes all of it away\n"
	"status   what is attached, who is followed, and who is not and why\n"
	"\n"
	"Options of start:\n"
	"      --watch               stay, and look for new programs each second\n"
	"      --max-buffers N       buffers that the kernel keeps at most (default: 262144)\n"
	"  -v, --verbose             also what the kernel says about the programs\n"
	"\n"
	"  -h, --help                this text\n"
	"  -V, --version             print the version\n"
	"\n"
	"Everybody may read /run/tt-smi/bpf/allocations and /run/tt-smi/bpf/holders then.\n"
	"\n"
	"Exit status: 0 fine, for status: loaded; 1 status: not loaded; 2 usage; 3 this kernel\n"
	"cannot do it; 4 no permission; 74 output not written; 255 internal error\n";

enum { OPT_WATCH = 256, OPT_MAX_BUFFERS };

static int parse_option(struct trace_options *options, int option)
{
	switch (option) {
	case OPT_WATCH: options->watch = true; return 0;
	case OPT_MAX_BUFFERS:
		if (parse_u32(optarg, &options->tracer.max_buffers) < 0 ||
		    !options->tracer.max_buffers || options->tracer.max_buffers > 1U << 26)
			return complain(EXIT_USAGE,
					"--max-buffers: \"%s\" is not a number from 1 to 67108864",
					optarg);
		return 0;
	case 'v': options->tracer.verbose = true; return 0;
	default: return EXIT_USAGE; /* getopt has said what is wrong */
	}
}

static bool has_more(const struct trace_options *options)
{
	return options->files[0] || options->watch || options->tracer.max_buffers ||
	       options->tracer.verbose;
}

static int print(const char *text)
{
	if (fputs(text, stdout) < 0 || fflush(stdout))
		return complain(EXIT_OUTPUT, "cannot write standard output");
	return EXIT_FINE;
}

/* -1: go on */
static int parse(struct trace_options *options, int argc, char **argv)
{
	static const struct option words[] = {
		{ "watch", no_argument, NULL, OPT_WATCH },
		{ "max-buffers", required_argument, NULL, OPT_MAX_BUFFERS },
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ 0 },
	};
	int option, r;

	while ((option = getopt_long(argc, argv, "vhV", words, NULL)) != -1) {
		if (option == 'h')
			return print(help);
		if (option == 'V')
			return print("tt_smi-trace " TT_SMI_VERSION "\n");
		r = parse_option(options, option);
		if (r)
			return r;
	}
	return -1;
}

int main(int argc, char **argv)
{
	/* For tests of what older kernels need. */
	const char *attach = getenv("TT_SMI_TRACE_ATTACH");
	struct trace_options options = {
		.tracer.no_multi = attach && strcmp(attach, "perf") == 0,
	};
	int code;

	argv[0] = (char[]){ "tt_smi-trace" };
	umask(0022); /* what is made is for everybody to read, whatever root is used to */
	code = parse(&options, argc, argv);
	if (code >= 0)
		return code;
	if (optind == argc)
		return complain(EXIT_USAGE, "start, stop or status? (-h for help)");
	options.files = argv + optind + 1;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		if (strcmp(argv[optind], commands[i].name) != 0)
			continue;
		if (!commands[i].takes_more && has_more(&options))
			return complain(EXIT_USAGE, "%s takes nothing more", commands[i].name);
		return commands[i].run(&options);
	}
	return complain(EXIT_USAGE, "\"%s\" is not start, stop or status", argv[optind]);
}
