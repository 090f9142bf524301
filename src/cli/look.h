/* How the output may look: by options, environment, locale and terminal. */
#pragma once

#include "render/render_options.h"

#include <stdbool.h>

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* A locale that is asked for but not installed still says what the terminal speaks. */
void look_set_locale(void);

/* to_stdout: the text goes to standard output, not to a file of its own. */
struct render_options look_decide(enum color color, bool ascii, bool to_stdout);
