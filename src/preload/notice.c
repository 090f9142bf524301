#include "preload/notice.h"

#include "basic/macros.h"
#include "preload/start.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

static struct iovec part(const char *text)
{
	return (struct iovec){ .iov_base = (void *)text, .iov_len = strlen(text) };
}

/* One write, so that lines of several processes are not interleaved. */
void notice(const char *what, const char *text)
{
	const struct iovec parts[] = { part("libttalloc-preload: "), part(what), part(": "),
				       part(text), part("\n") };
	int saved = errno;

	if (!start_is_quiet() && writev(STDERR_FILENO, parts, ARRAY_SIZE(parts)) < 0)
		errno = saved; /* a failure to write cannot be reported */
	errno = saved;
}
