#include "cli/trace.h"

#include "cli/exit.h"
#include "cli/say.h"
#include "version.h"

#include "basic/sibling_program.h"

#include <string.h>

int trace_main(int argc, char **argv)
{
	int r;

	(void)argc;
	if (!TT_HAS_TRACE)
		return say(EXIT_UNAVAILABLE, "built without tracing (TT_TRACE=OFF)");
	r = sibling_program_execute("tt_smi-trace", argv);
	return say(EXIT_UNAVAILABLE, "tt_smi-trace, which belongs beside tt_smi: %s", strerror(-r));
}
