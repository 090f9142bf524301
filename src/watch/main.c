/* tt_smi-tui: the full screen as a program, where tt_smi does not contain it. */
#include "watch/screen.h"

int main(int argc, char **argv)
{
	return screen_main(argc, argv);
}
