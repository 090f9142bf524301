#include "cli/sim.h"

#include "basic/exit_code.h"
#include "cli/error_line.h"

#include "basic/sibling_program.h"

#include <string.h>

int sim_main(int argc, char **argv)
{
	int r;

	(void)argc;
	r = sibling_program_execute("tt_smi-sim", argv);
	return error_line(EXIT_UNAVAILABLE,
			  "cannot execute tt_smi-sim, which is installed with tt_smi: %s",
			  strerror(-r));
}
