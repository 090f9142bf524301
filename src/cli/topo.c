#include "cli/topo.h"

#include "basic/exit_code.h"
#include "cli/common_options.h"
#include "cli/error_line.h"
#include "cli/output.h"
#include "cli/session.h"
#include "render/topology_matrix.h"
#include "source/topology.h"

#include <string.h>

struct topo_options {
	struct common_options common;
	bool matrix, help;
};

#define AT(member) offsetof(struct topo_options, member)

static const struct option_spec rows[] = {
	/* clang-format off */
	{ "-m --matrix", NO_ARGUMENT, NULL,
		"distances as a matrix (default)", option_flag, AT(matrix) },
	OPTION_DEVICES(AT(common.selection)),
	OPTION_ROOT(AT(common.root)),
	OPTION_HELP(AT(help)),
	/* clang-format on */
};

static const struct option_table table = { rows, ARRAY_SIZE(rows), "tt_smi topo" };

static void put_help(struct buf *out)
{
	buf_puts(out,
		 "Usage: tt_smi topo [-m] [OPTION]...\n"
		 "Shows how far apart devices and network adapters are on the PCI bus, and which\n"
		 "CPUs and NUMA node are near each, in the format of nvidia-smi topo -m.\n\n");
	option_put_help(out, &table);
	buf_puts(out, "\nExit status: as tt_smi.\n");
}

static int print_matrix(struct session *session)
{
	struct render_options look = look_decide(COLOR_NEVER, false, true);
	CLEANUP_BUF struct buf text = { 0 };
	struct topology topology = { 0 };
	int r = topology_read(&session->root, session->snapshot, &topology);

	if (r < 0)
		return error_line(EXIT_INTERNAL, "cannot read %s/sys/bus/pci: %s",
				  session->root.path, strerror(-r));
	if (session->snapshot->simulated)
		error_line(0, "SIMULATED machine at %s", session->root.path);
	topology_render(&text, &look, &topology);
	topology_done(&topology);
	return output_print(&text);
}

static int run(const struct topo_options *options)
{
	struct session session;
	struct want want = { 0 };
	int code, judged;

	want_add_list(&want, FIELDS(DEVICE_FIELD(ID), DEVICE_FIELD(BDF), DEVICE_FIELD(NUMA_NODE)));
	code = session_open(&session, options->common.root, &options->common.selection, &want);
	if (!code)
		code = session_take(&session);
	if (code) {
		error_line(code, "%s", buf_text(&session.problem));
	} else {
		code = print_matrix(&session);
		judged = session_judge(&session);
		if (!code && judged && session_remark(&session, judged))
			error_line(judged, "%s", session_remark(&session, judged));
		code = code ? code : judged;
	}
	session_close(&session);
	return code;
}

int topo_main(int argc, char **argv)
{
	struct topo_options options = { .common = common_options_default() };
	CLEANUP_BUF struct buf text = { 0 };
	int code = options_read(&table, argc, argv, &options);

	if (code == 0 && options.help) {
		put_help(&text);
		code = output_print(&text);
	} else if (code == 0) {
		code = run(&options);
	}
	common_options_done(&options.common);
	return code;
}
