/* How the output may look: by options, environment, locale and terminal. */
#pragma once

#include "render/look.h"

#include <stdbool.h>

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* to_stdout: the text goes to standard output, not to a file of its own. */
struct look look_decide(enum color color, bool ascii, bool to_stdout);
