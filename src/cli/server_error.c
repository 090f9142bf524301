#include "cli/server_error.h"

#include "basic/exit_code.h"
#include "source/server.h"

#include <errno.h>
#include <string.h>

int server_error(struct buf *out, int error, const char *path, const char *why)
{
	if (why[0])
		buf_printf(out, "the allocation server at %s: %s", path, why);
	else if (error == -ETIMEDOUT || error == -EAGAIN)
		buf_printf(out, "the allocation server at %s does not answer; to restart it: %s",
			   path, SERVER_RESTART);
	else if (error == -EACCES || error == -EPERM)
		buf_printf(out, "cannot connect to the allocation server at %s: %s", path,
			   strerror(-error));
	else
		buf_printf(out,
			   "cannot connect to the allocation server at %s: %s; to start it: %s",
			   path, strerror(-error), SERVER_START);
	return EXIT_NO_SERVER;
}
