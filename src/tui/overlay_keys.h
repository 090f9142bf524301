/* Keys while something lies over the view. */
#pragma once

#include "tui/ui.h"

void overlay_key(struct ui *ui, int code);
