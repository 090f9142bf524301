/* Another library that somebody preloads. */
#include <stdlib.h>

__attribute__((constructor)) static void start(void)
{
	setenv("OTHER_PRELOAD", "was here", 1);
}
