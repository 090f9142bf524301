/* Linked into a static tt_smi only: registers the full screen with cli, which does not use tui. */
#include "cli/fullscreen.h"
#include "watch/screen.h"

__attribute__((constructor)) static void link_screen(void)
{
	fullscreen_link(screen_main);
}
