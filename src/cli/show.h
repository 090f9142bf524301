/* The default command: takes samples and shows them, once or in a loop. */
#pragma once

#include "cli/options.h"

/* An exit code. */
MUST_CHECK int show(const struct options *options);
