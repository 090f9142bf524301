/* Draws the screen of tt_smi fleet -w. */
#pragma once

#include "fleet_tui/fleet_ui.h"

void fleet_draw(const struct fleet_ui *ui, int64_t now_ns);
