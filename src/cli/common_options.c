#include "cli/common_options.h"

#include <stdlib.h>

struct common_options common_options_default(void)
{
	const char *root = getenv("TT_SMI_ROOT");

	return (struct common_options){ .root = root && root[0] ? root : NULL };
}

void common_options_done(struct common_options *common)
{
	selection_done(&common->selection);
}
