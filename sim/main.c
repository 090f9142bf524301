/*
 * tt_smi sim: a simulated machine with Tenstorrent cards.
 *
 * It creates the files of the kernel driver below a directory of its own, and keeps them up to
 * date. It has one thread: a timer advances the cards; a signal or the end of the command stops
 * everything. The programs on the cards are separate processes (worker.c), and so is the one that
 * cleans up (cleaner.c).
 */
#include "live.h"
#include "options.h"
#include "setup.h"
#include "static.h"
#include "worker.h"

#include <stdio.h>
#include <stdlib.h>

static struct machine machine; /* static: too big for the stack */

int main(int argc, char **argv)
{
	const char *worker = getenv(WORKER_VARIABLE);
	bool done = false;
	int r;

	if (worker)
		return getenv(WORKER_START_VARIABLE) ? worker_start(argv) : worker_main(worker);
	r = options_parse(argc, argv, &machine.opt, &done);
	if (r || done)
		return r;
	if (setup_machine(&machine) < 0)
		return EXIT_USAGE;
	r = machine.opt.write_once ? static_main(&machine) : live_main(&machine);
	setup_done(&machine);
	return r;
}
