/* Part of tt_smi where it contains the full screen: tells the commands, which cannot know it. */
#include "cli/fullscreen.h"
#include "watch/screen.h"

__attribute__((constructor)) static void link_screen(void)
{
	fullscreen_link(screen_main);
}
