/* Appearance of the output: from options, environment, locale and terminal. */
#pragma once

#include "render/render_options.h"

#include <stdbool.h>

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER, COLOR_N };

/* to_stdout: the text goes to standard output, not to a file. */
struct render_options look_decide(enum color color, bool ascii, bool to_stdout);
