#include "fleet.h"

#include "basic/exit_code.h"
#include "basic/sibling_program.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

int fleet_set_command(struct sim_options *options)
{
	static char program[PATH_MAX], count[16], address[64] = FLEET_ADDRESS;
	static char *command[] = { program, count, address, NULL };

	if (sibling_program_find("tt_smi-sim-fleet", program, sizeof(program)) < 0) {
		fprintf(stderr, "tt_smi sim: --fleet: tt_smi-sim-fleet was not built: it needs "
				"libmicrohttpd and zlib\n");
		return EXIT_UNAVAILABLE;
	}
	if (options->listen && strlen(options->listen) >= sizeof(address)) {
		fprintf(stderr, "tt_smi sim: --listen: \"%s\" is too long\n", options->listen);
		return EXIT_USAGE;
	}
	snprintf(count, sizeof(count), "%u", options->fleet);
	if (options->listen)
		snprintf(address, sizeof(address), "%s", options->listen);
	options->command = command;
	return 0;
}
