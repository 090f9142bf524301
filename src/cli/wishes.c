#include "cli/wishes.h"

#include <stdlib.h>

struct wishes wishes_default(void)
{
	const char *root = getenv("TT_SMI_ROOT");

	return (struct wishes){ .root = root && root[0] ? root : NULL };
}

void wishes_done(struct wishes *wishes)
{
	selection_done(&wishes->selection);
}
