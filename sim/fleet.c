#include "fleet.h"

#include "basic/exit_code.h"
#include "basic/optional_part.h"
#include "basic/sibling_program.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

int fleet_set_command(struct sim_options *options)
{
	static char program[PATH_MAX], count[16], address[64] = FLEET_ADDRESS;
	static char *command[] = { program, count, address, NULL };

	if (sibling_program_find("tt_smi-sim-fleet", program, sizeof(program)) < 0) {
		CLEANUP_BUF struct buf missing = { 0 };

		optional_part_put_missing(&missing, PART_SERVE);
		fprintf(stderr, "tt_smi sim: --fleet: %s\n", buf_text(&missing));
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
