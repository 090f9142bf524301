#include "serve/serve_options.h"

#include "cli/common_options.h"
#include "cli/error_line.h"
#include "render/metrics.h"

static int set_listen(const struct option_given *given, void *member)
{
	if (listen_address_parse(given->value, member) == 0)
		return 0;
	return option_error(given, EXIT_USAGE,
			    "--listen: \"%s\" is not ADDR:PORT, such as 0.0.0.0:" SERVE_PORT_TEXT
			    " or [::1]:" SERVE_PORT_TEXT,
			    given->value);
}

static int add_host(const struct option_given *given, void *member)
{
	struct host_names *hosts = member;

	if (hosts->count == MAX_HOST_NAMES)
		return option_error(given, EXIT_USAGE, "--host: more than %d names",
				    MAX_HOST_NAMES);
	hosts->list[hosts->count++] = given->value;
	return 0;
}

/* The choice of the option's row: is the group left out? */
static int choose_group(const struct option_given *given, void *member)
{
	unsigned *left_out = member;
	int group, code = option_word(given, &group);

	if (code)
		return code;
	*left_out &= ~(1U << group);
	*left_out |= (unsigned)given->option->choice << group;
	return 0;
}

#define AT(member) offsetof(struct serve_options, member)

static const struct option_spec rows[] = {
	/* clang-format off */
	{ "--listen", ARGUMENT, "ADDR:PORT",
		"where to listen (default 127.0.0.1:" SERVE_PORT_TEXT "); an IPv6 address in brackets; port 0: any free one",
		set_listen, AT(listen) },
	{ "--host", ARGUMENT, "NAME",
		"accept requests for this name too, in addition to addresses, localhost and the name of the machine; repeatable",
		add_host, AT(hosts) },
	{ "--expect", ARGUMENT, "N",
		"number of devices that this machine should have, for alerts",
		option_count, AT(expected) },
	{ "--no-collect", ARGUMENT, "GROUP",
		"leave out a group of metrics; repeatable",
		choose_group, AT(left_out), .choice = true, OPTION_VALUES(metric_group_names) },
	{ "--collect", ARGUMENT, "GROUP",
		"include a group; processes and details are left out by default; the last option for a group decides",
		choose_group, AT(left_out), .choice = false, OPTION_VALUES(metric_group_names) },
	{ "--tls-cert", ARGUMENT, "FILE",
		"serve HTTPS with this certificate, followed by those of its issuers (PEM)",
		option_text, AT(tls_cert) },
	{ "--tls-key", ARGUMENT, "FILE",
		"the private key of the certificate (PEM); only owner and group may read the file",
		option_text, AT(tls_key) },
	{ "--auth-file", ARGUMENT, "FILE",
		"require a user and password listed in this file, as htpasswd -B writes it",
		option_text, AT(auth_file) },
	{ "--no-owners", NO_ARGUMENT, NULL,
		"never serve command lines, users, jobs, pods and containers, not even to local clients",
		option_flag, AT(no_owners) },
	{ "--max-owners", ARGUMENT, "N",
		"serve series for at most N owners: jobs, containers, users (default 64)",
		option_count, AT(max_owners) },
	{ "--list-metrics", NO_ARGUMENT, NULL,
		"list all metrics: name, type, labels, group, help",
		option_flag, AT(list_metrics) },
	OPTION_ROOT(AT(root)),
	OPTION_HELP(AT(help)),
	OPTION_VERSION(AT(version)),
	/* clang-format on */
};

static const struct option_table table = { rows, ARRAY_SIZE(rows), "tt_smi serve" };

void serve_options_help(struct buf *out)
{
	buf_puts(out,
		 "Usage: tt_smi serve [OPTION]...\n"
		 "Serves metrics for Prometheus (/metrics) and the JSON document of tt_smi --json\n"
		 "(/api/v1/snapshot, /api/v1/stream) over HTTP, from samples that it takes every\n"
		 "second, the last hour of charts (/api/v1/history), and a web page (/).\n\n");
	option_put_help(out, &table);
	buf_puts(out,
		 "\n"
		 "Examples:\n"
		 "  tt_smi serve --expect 8\n"
		 "  tt_smi serve --listen 0.0.0.0:" SERVE_PORT_TEXT " --host node1.example.org\n"
		 "  tt_smi serve --tls-cert tls.crt --tls-key tls.key --auth-file users\n"
		 "  curl http://localhost:" SERVE_PORT_TEXT "/metrics\n"
		 "\n"
		 "Exit status: 0 ended by SIGTERM or SIGINT; 1 cannot listen, or cannot use a\n"
		 "certificate, key or file of users; others as tt_smi. tt_smi-serve(1) has the\n"
		 "rest.\n");
}

int serve_options_parse(struct serve_options *ret, int argc, char **argv)
{
	struct serve_options options = {
		.root = option_root_default(),
		.listen = listen_address_default(),
		.left_out = GROUPS_ON_REQUEST,
		.max_owners = METRICS_OWNERS,
	};
	int code = options_read(&table, argc, argv, &options);

	if (code == 0 && !options.tls_cert != !options.tls_key)
		code = error_line(EXIT_USAGE, "%s needs %s too; tt_smi serve -h explains them",
				  options.tls_cert ? "--tls-cert" : "--tls-key",
				  options.tls_cert ? "--tls-key" : "--tls-cert");
	if (code == 0)
		*ret = options;
	return code;
}
