#include "cli/sim.h"

#include "cli/exit.h"
#include "cli/say.h"

#include "basic/sibling_program.h"

#include <string.h>

int sim_main(int argc, char **argv)
{
	int r;

	(void)argc;
	r = sibling_program_execute("tt_smi-sim", argv);
	return say(EXIT_UNAVAILABLE, "tt_smi-sim, which belongs beside tt_smi: %s", strerror(-r));
}
