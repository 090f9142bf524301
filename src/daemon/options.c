#include "daemon/options.h"

#include "basic/exit_code.h"
#include "daemon/log.h"
#include "proto/legacy.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

enum {
	OPT_SOCKET = 256,
	OPT_LEGACY,
	OPT_ROOT,
	OPT_LIMIT,
	OPT_FOREGROUND,
	OPT_TRACE,
};

static const char short_options[] = "hVqv";
static const struct option long_options[] = {
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "foreground", no_argument, NULL, OPT_FOREGROUND },
	{ "socket", required_argument, NULL, OPT_SOCKET },
	{ "legacy-socket", required_argument, NULL, OPT_LEGACY },
	{ "root", required_argument, NULL, OPT_ROOT },
	{ "trace", no_argument, NULL, OPT_TRACE },
	{ "limit", required_argument, NULL, OPT_LIMIT },
	{ 0 },
};

static void help_limit(const struct limit_info *info, struct buf *out)
{
	buf_printf(out, "  %-10s %8u ", info->name, info->usual);
	if (info->share)
		buf_printf(out, "%8u", info->share);
	else
		buf_printf(out, "%8s", "-");
	buf_printf(out, "  %s\n", info->help);
}

void options_help(struct buf *out)
{
	buf_puts(out,
		 "Usage: tt_allocd [OPTION...]\n"
		 "\n"
		 "Collects what programs say of the memory they hold on Tenstorrent cards, and\n"
		 "tells monitors.\n"
		 "\n"
		 "  --socket PATH              listen there (default /run/tt-smi/allocd.sock for\n"
		 "                             root, else $XDG_RUNTIME_DIR/tt-smi/allocd.sock)\n"
		 "  --legacy-socket PATH|none  for programs built against the first allocation\n"
		 "                             server (default " LEGACY_SOCKET ")\n"
		 "  --trace                    run the tracer too: memory of programs that report\n"
		 "                             nothing (root)\n"
		 "  -q, --quiet                say only what went wrong\n"
		 "  -v, --verbose              a line for every coming and going\n"
		 "  --foreground               stay in the foreground (the default)\n"
		 "  --limit NAME=N             change a limit, see below; repeatable\n"
		 "  --root DIR                 look for /sys, /proc and /dev below DIR (also\n"
		 "                             TT_SMI_ROOT)\n"
		 "  -h, --help                 this help\n"
		 "  -V, --version              print the version\n"
		 "\n"
		 "Limits: name, in all, share of one user (change that with user-NAME=N)\n");
	for (size_t i = 0; i < LIMITS; i++)
		help_limit(&limit_infos[i], out);
	buf_puts(out,
		 "\n"
		 "SIGTERM and SIGINT end it, SIGHUP executes it again in place and loses nothing.\n"
		 "\n"
		 "Examples:\n"
		 "  tt_allocd                  serve this machine, or this user\n"
		 "  tt_allocd -v --legacy-socket none\n"
		 "  tt_smi mem                 show what it knows\n");
}

static int limit_set(struct options *options, const char *text)
{
	int r = limits_parse(&options->limits, text);

	if (r == -ERANGE)
		log_line(LOG_FAULT, "--limit %s: out of range", text);
	else if (r < 0)
		log_line(LOG_FAULT, "--limit %s: not NAME=N with a name that --help lists", text);
	return r < 0 ? EXIT_USAGE : 0;
}

static int option_set(struct options *options, int option)
{
	switch (option) {
	case 'h': options->help = true; return 0;
	case 'V': options->version = true; return 0;
	case 'q': options->quiet = true; return 0;
	case 'v': options->verbose = true; return 0;
	case OPT_FOREGROUND: return 0;
	case OPT_TRACE: options->trace = true; return 0;
	case OPT_SOCKET: options->socket = optarg; return 0;
	case OPT_LEGACY:
		options->legacy = strcmp(optarg, "none") == 0 ? NULL : optarg;
		options->legacy_is_given = true;
		return 0;
	case OPT_ROOT: options->root = optarg; return 0;
	case OPT_LIMIT: return limit_set(options, optarg);
	default: return EXIT_USAGE; /* getopt has said why */
	}
}

int options_parse(struct options *ret, int argc, char **argv)
{
	const char *root = getenv("TT_SMI_ROOT"), *socket = getenv("TT_ALLOCD_SOCKET");
	const char *legacy = getenv("TT_ALLOCD_LEGACY_SOCKET");
	struct options options = {
		.legacy = legacy && *legacy ? legacy : LEGACY_SOCKET,
		.root = root && *root ? root : NULL,
		.socket = socket && *socket ? socket : NULL,
	};
	int option;

	limits_init(&options.limits);
	while ((option = getopt_long(argc, argv, short_options, long_options, NULL)) != -1) {
		int code = option_set(&options, option);

		if (code)
			return code;
	}
	if (optind < argc) {
		log_line(LOG_FAULT, "%s: there is nothing to give but options; see --help",
			 argv[optind]);
		return EXIT_USAGE;
	}
	*ret = options;
	return 0;
}
