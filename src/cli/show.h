/* The default command: takes samples and shows them, once or in a loop. */
#pragma once

#include "basic/macros.h"
#include "cli/show_options.h"

/* Returns an exit code. */
MUST_CHECK int show_main(int argc, char **argv);

/* Shows what the options ask for. Returns an exit code, or ends the process. */
MUST_CHECK int show(const struct show_options *options);
