#include "daemon/options.h"

#include "basic/option.h"
#include "daemon/log.h"
#include "proto/legacy.h"
#include "proto/server_path.h"

#include <errno.h>
#include <string.h>

static int set_legacy(const struct option_given *given, void *arg)
{
	struct server_options *options = arg;

	options->legacy = strcmp(given->value, "none") == 0 ? NULL : given->value;
	options->legacy_is_given = true;
	return 0;
}

static int set_limit(const struct option_given *given, void *member)
{
	int r = limits_parse(member, given->value);

	if (r == -ERANGE)
		return option_error(given, EXIT_USAGE, "--limit %s: out of range", given->value);
	if (r < 0)
		return option_error(given, EXIT_USAGE,
				    "--limit %s: not NAME=N with a name that --help lists",
				    given->value);
	return 0;
}

#define AT(member) offsetof(struct server_options, member)

static const struct option_spec rows[] = {
	/* clang-format off */
	{ "--socket", ARGUMENT, "PATH",
		"the socket to listen on (default TT_ALLOCD_SOCKET, else " SERVER_PATH_SYSTEM " for root, $XDG_RUNTIME_DIR/" SERVER_PATH_USER " for others)",
		option_text, AT(socket) },
	{ "--legacy-socket", ARGUMENT, "PATH|none",
		"the socket of the legacy protocol, that of the proof of concept allocation_server_poc (default TT_ALLOCD_LEGACY_SOCKET, else " LEGACY_SOCKET ")",
		set_legacy, 0 },
	{ "--trace", NO_ARGUMENT, NULL,
		"run the tracer too, for programs that report nothing (root only)",
		option_flag, AT(trace) },
	{ "--programs", NO_ARGUMENT, NULL,
		"with --trace: follow each launch of a program, for exact utilisation",
		option_flag, AT(programs) },
	{ "--names", NO_ARGUMENT, NULL,
		"with --trace: record the name of each operation, to show which takes most time",
		option_flag, AT(names) },
	{ "-q --quiet", NO_ARGUMENT, NULL, "log errors only", option_flag, AT(quiet) },
	{ "-v --verbose", NO_ARGUMENT, NULL,
		"log every client that connects or disconnects", option_flag, AT(verbose) },
	{ "--foreground", NO_ARGUMENT, NULL,
		"stay in the foreground (the default)", option_ignore, 0 },
	{ "--limit", ARGUMENT, "NAME=N",
		"change a limit, see below; repeatable", set_limit, AT(limits) },
	OPTION_ROOT(AT(root)),
	OPTION_HELP(AT(help)),
	OPTION_VERSION(AT(version)),
	/* clang-format on */
};

static const struct option_table table = { rows, ARRAY_SIZE(rows), "tt_allocd" };

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
		 "Usage: tt_allocd [OPTION]...\n"
		 "Collects the figures that programs report about their memory on Tenstorrent\n"
		 "cards, and serves them to monitors such as tt_smi.\n\n");
	option_put_help(out, &table);
	buf_puts(out, "\nLimits: name, total, share of one user (to change it: user-NAME=N)\n");
	for (size_t i = 0; i < LIMITS; i++)
		help_limit(&limit_infos[i], out);
	buf_puts(
		out,
		"\n"
		"SIGTERM and SIGINT end it; on SIGHUP it executes itself again and loses nothing.\n"
		"\n"
		"Examples:\n"
		"  tt_allocd                  serve this machine (as root), or this user\n"
		"  tt_allocd -v --legacy-socket none\n"
		"  tt_smi mem                 show its figures\n");
}

int options_parse(struct server_options *ret, int argc, char **argv)
{
	const char *legacy = getenv("TT_ALLOCD_LEGACY_SOCKET");
	struct server_options options = {
		.legacy = legacy && *legacy ? legacy : LEGACY_SOCKET,
		.root = option_root_default(),
	};
	CLEANUP_BUF struct buf error = { 0 };
	int code;

	limits_init(&options.limits);
	code = option_parse(&table, argc, argv, &options, NULL, &error);
	if (code) {
		log_line(LOG_FAULT, "%s", buf_text(&error));
		return code;
	}
	if ((options.programs || options.names) && !options.trace) {
		log_line(LOG_FAULT, "%s needs --trace",
			 options.programs ? "--programs" : "--names");
		return EXIT_USAGE;
	}
	*ret = options;
	return 0;
}
