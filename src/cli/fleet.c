#include "cli/fleet.h"

#include "basic/exit_code.h"
#include "basic/sibling_program.h"
#include "cli/error_line.h"

#include <errno.h>
#include <string.h>

int fleet_main(int argc, char **argv)
{
	int r;

	(void)argc;
	r = sibling_program_execute("tt_smi-fleet", argv);
	if (r == -ENOENT)
		return error_line(EXIT_UNAVAILABLE,
				  "built without tt_smi fleet: install libcurl4-openssl-dev, then "
				  "build again with -DTT_FLEET=ON");
	return error_line(EXIT_UNAVAILABLE, "cannot execute tt_smi-fleet: %s", strerror(-r));
}
