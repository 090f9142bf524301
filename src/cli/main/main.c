/* tt_smi: selects the command and runs it. */
#include "cli/check.h"
#include "cli/command.h"
#include "cli/doctor.h"
#include "cli/mem.h"
#include "cli/monitor.h"
#include "cli/run.h"
#include "cli/select.h"
#include "cli/separate_program.h"
#include "cli/show.h"
#include "cli/show_options.h"
#include "cli/topo.h"
#include "cli/wait.h"

static int (*const run[COMMANDS])(int argc, char **argv) = {
	[COMMAND_SHOW] = show_main,	[COMMAND_MEM] = mem_main,
	[COMMAND_RUN] = run_main,	[COMMAND_WAIT] = wait_main,
	[COMMAND_SELECT] = select_main, [COMMAND_TRACE] = trace_main,
	[COMMAND_DOCTOR] = doctor_main, [COMMAND_SIM] = sim_main,
	[COMMAND_SERVE] = serve_main,	[COMMAND_TOPO] = topo_main,
	[COMMAND_DMON] = dmon_main,	[COMMAND_CHECK] = check_main,
	[COMMAND_PMON] = pmon_main,	[COMMAND_FLEET] = fleet_main,
};

int main(int argc, char **argv)
{
	enum command command;
	bool unknown;
	int at, code;

	at = show_options_find_operand(argc, argv, &unknown);
	code = command_find(&argc, &argv, at, unknown, &command);
	return code ? code : run[command](argc, argv);
}
