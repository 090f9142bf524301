/* How the output may look: by options, environment, locale and terminal. */
#pragma once

#include "render/render_options.h"

#include <stdbool.h>

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* Takes the character set from the locale's name even if that locale is not installed. */
void look_set_locale(void);

/* to_stdout: the text goes to standard output, not to a file of its own. */
struct render_options look_decide(enum color color, bool ascii, bool to_stdout);
