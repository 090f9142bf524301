/* The default command: takes samples and shows them, once or in a loop. */
#pragma once

#include "basic/macros.h"

/* An exit code. */
MUST_CHECK int show_main(int argc, char **argv);
