/*
 * tt_smi sim: a simulated machine with Tenstorrent cards.
 *
 * It makes the files that the kernel driver would make, below a directory of its
 * own, and keeps them alive. One thread: a timer moves the cards, a signal or
 * the command's end stops all. The programs on the cards are processes of their
 * own (worker.c), and so is what cleans up behind (cleaner.c).
 */
#include "live.h"
#include "options.h"
#include "setup.h"
#include "static.h"
#include "worker.h"

#include <stdio.h>
#include <stdlib.h>

static struct machine machine; /* too big for a stack */

int main(int argc, char **argv)
{
	const char *worker = getenv(WORKER_VARIABLE);
	bool done = false;
	int r;

	if (worker)
		return worker_main(worker);
	r = options_parse(argc, argv, &machine.opt, &done);
	if (r || done)
		return r;
	if (setup_machine(&machine) < 0)
		return EXIT_USAGE;
	r = machine.opt.write_once ? static_main(&machine) : live_main(&machine);
	setup_done(&machine);
	return r;
}
