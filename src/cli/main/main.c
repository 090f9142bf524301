/* tt_smi: finds the command that is meant, and runs it. */
#include "cli/command.h"
#include "cli/doctor.h"
#include "cli/look.h"
#include "cli/mem.h"
#include "cli/run.h"
#include "cli/show.h"
#include "cli/sim.h"
#include "cli/trace.h"

static int (*const run[COMMANDS])(int argc, char **argv) = {
	[COMMAND_SHOW] = show_main,   [COMMAND_MEM] = mem_main,	      [COMMAND_RUN] = run_main,
	[COMMAND_TRACE] = trace_main, [COMMAND_DOCTOR] = doctor_main, [COMMAND_SIM] = sim_main,
};

int main(int argc, char **argv)
{
	enum command command;

	look_set_locale();
	command = command_find(&argc, &argv);
	return run[command](argc, argv);
}
