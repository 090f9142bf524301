#include "cli/trace.h"

#include "basic/exit_code.h"
#include "cli/error_line.h"
#include "version.h"

#include "basic/sibling_program.h"

#include <string.h>

int trace_main(int argc, char **argv)
{
	int r;

	(void)argc;
	if (!TT_HAS_TRACE)
		return error_line(EXIT_UNAVAILABLE, "built without tracing (TT_TRACE=OFF)");
	r = sibling_program_execute("tt_smi-trace", argv);
	return error_line(EXIT_UNAVAILABLE,
			  "cannot execute tt_smi-trace, which is installed with tt_smi: %s",
			  strerror(-r));
}
