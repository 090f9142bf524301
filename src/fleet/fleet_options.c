#include "fleet/fleet_options.h"

#include "cli/error_line.h"
#include "fleet/promql.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int add_matchers(const struct option_given *given, void *member)
{
	int r = promql_put_matchers(member, given->value);

	if (r == -EINVAL)
		return option_error(given, EXIT_USAGE,
				    "--match: \"%s\" is not a list of label matchers, such as "
				    "rack=\"a\",row=~\"1.*\"",
				    given->value);
	return r < 0 ? option_error(given, EXIT_INTERNAL, "out of memory") : 0;
}

#define AT(member) offsetof(struct fleet_options, member)

static const struct option_spec rows[] = {
	/* clang-format off */
	{ "-w --watch", NO_ARGUMENT, NULL,
		"full screen with the chips of all machines; h shows the keys",
		option_flag, AT(watch) },
	{ "-r --refresh", ARGUMENT, "MS",
		"with -w: query the server every MS milliseconds (default 5000)",
		option_refresh, AT(period_ms) },
	{ "--prometheus", ARGUMENT, "URL",
		"the server to query, with HTTP or HTTPS (also TT_SMI_PROMETHEUS)",
		option_text, AT(client.url) },
	{ "--token-file", ARGUMENT, "FILE",
		"authenticate with the bearer token in this file",
		option_text, AT(client.token_file) },
	{ "--user-file", ARGUMENT, "FILE",
		"authenticate with the USER:PASSWORD in this file (HTTP Basic)",
		option_text, AT(client.user_file) },
	{ "--ca-file", ARGUMENT, "FILE",
		"trust the certificates in this file (default: those of the system)",
		option_text, AT(client.ca_file) },
	{ "--timeout", ARGUMENT, "SECONDS",
		"wait at most this long for all answers together (default 10)",
		option_seconds, AT(client.timeout_ms) },
	{ "--match", ARGUMENT, "LABELS",
		"only machines with these labels, e.g. 'rack=\"a\"'; repeatable",
		add_matchers, AT(matchers) },
	{ "--all", NO_ARGUMENT, NULL,
		"list all machines or owners, not only the first 20",
		option_flag, AT(all) },
	{ "--json", INLINE_OR_NOTHING, NULL,
		"everything as JSON (default: pretty on a terminal, otherwise on one line)",
		option_json, AT(json), OPTION_VALUES(json_names) },
	{ "--csv", NO_ARGUMENT, NULL,
		"a line per machine or owner, values separated by commas",
		option_flag, AT(csv) },
	OPTION_COLOR(AT(color)),
	OPTION_ASCII(AT(ascii)),
	OPTION_HELP(AT(help)),
	OPTION_VERSION(AT(version)),
	/* clang-format on */
};

static const struct option_table table = { rows, ARRAY_SIZE(rows), "tt_smi fleet", OPERANDS_ANY };

void fleet_options_help(struct buf *out)
{
	buf_puts(
		out,
		"Usage: tt_smi fleet [OPTION]... [MACHINE]...\n"
		"       tt_smi fleet who [OPTION]... [MACHINE]...\n"
		"Shows many machines that run tt_smi serve, from the Prometheus-compatible server\n"
		"that scrapes them; who lists their users, jobs and pods. MACHINE is a name or a\n"
		"pattern, such as 'node0*'.\n\n");
	option_put_help(out, &table);
	buf_puts(out,
		 "\nExamples:\n"
		 "  tt_smi fleet --prometheus http://prom.example:9090\n"
		 "  tt_smi fleet -w\n"
		 "  tt_smi fleet --match 'rack=\"a\"' --all\n"
		 "  tt_smi fleet who --json\n"
		 "\nExit status: 0 fine; 3 who: the server has no series of owners; 4 the server\n"
		 "refuses access; 6 no machine was found; 16 the server does not answer; others\n"
		 "as tt_smi. tt_smi-fleet(1) has the rest.\n");
}

static int check(const struct fleet_options *options)
{
	if (options->help || options->version)
		return 0;
	if (options->json && options->csv)
		return error_line(EXIT_USAGE, "--json and --csv are mutually exclusive");
	if (options->watch && (options->json || options->csv || options->who))
		return error_line(EXIT_USAGE, "-w and %s are mutually exclusive",
				  options->who	  ? "who"
				  : options->json ? "--json"
						  : "--csv");
	if (options->watch && !isatty(STDOUT_FILENO))
		return error_line(EXIT_USAGE, "-w needs a terminal");
	if (options->client.token_file && options->client.user_file)
		return error_line(EXIT_USAGE,
				  "--token-file and --user-file are mutually exclusive");
	if (!options->client.url || !options->client.url[0])
		return error_line(EXIT_USAGE, "no server to query: use --prometheus URL, or set "
					      "TT_SMI_PROMETHEUS");
	return 0;
}

int fleet_options_parse(struct fleet_options *ret, int argc, char **argv)
{
	struct fleet_options options = {
		.client = { .url = getenv("TT_SMI_PROMETHEUS"), .timeout_ms = 10000 },
		.period_ms = 5000,
	};
	CLEANUP_BUF struct buf error = { 0 };
	struct option_words words;
	int code = option_parse(&table, argc, argv, &options, &words, &error);

	if (code)
		error_line(code, "%s", buf_text(&error));
	else
		options.who = words.count && strcmp(words.operands[0], "who") == 0;
	if (!code)
		code = check(&options);
	if (code) {
		fleet_options_done(&options);
		return code;
	}
	options.globs = words.operands + options.who;
	*ret = options;
	return 0;
}

void fleet_options_done(struct fleet_options *options)
{
	buf_done(&options->matchers);
}
