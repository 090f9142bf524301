/* Replaces src/fleet_tui/ in builds without ncurses. */
#include "fleet/fleet_screen.h"

#include "cli/separate_program.h"

int fleet_screen_run(const struct fleet_screen *screen, int *ret_signal, bool *ret_stuck)
{
	(void)screen;
	*ret_signal = 0;
	*ret_stuck = false;
	return optional_part_fail(PART_SCREEN);
}
