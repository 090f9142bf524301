#include "cli/serve.h"

#include "basic/exit_code.h"
#include "basic/sibling_program.h"
#include "cli/error_line.h"

#include <errno.h>
#include <string.h>

int serve_main(int argc, char **argv)
{
	int r;

	(void)argc;
	r = sibling_program_execute("tt_smi-serve", argv);
	if (r == -ENOENT)
		return error_line(EXIT_UNAVAILABLE,
				  "built without tt_smi serve: install libmicrohttpd-dev and "
				  "zlib1g-dev, then build again with -DTT_SERVE=ON");
	return error_line(EXIT_UNAVAILABLE, "cannot execute tt_smi-serve: %s", strerror(-r));
}
