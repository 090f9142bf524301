/* Replaces src/fleet_tui/ in builds without ncurses. */
#include "fleet/fleet_screen.h"

#include "basic/exit_code.h"
#include "cli/error_line.h"

int fleet_screen_run(const struct fleet_screen *screen, int *ret_signal, bool *ret_stuck)
{
	(void)screen;
	*ret_signal = 0;
	*ret_stuck = false;
	return error_line(EXIT_UNAVAILABLE, "built without the full screen: install "
					    "libncurses-dev, then build again with -DTT_TUI=ON");
}
