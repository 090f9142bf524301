/* Keys while an overlay is open. */
#pragma once

#include "tui/ui.h"

void overlay_key(struct ui *ui, int code);
