#include "fleet/credentials.h"

#include "basic/exit_code.h"
#include "basic/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

enum { LONGEST = 16384 };

void credentials_done(struct buf *text)
{
	if (text->data)
		explicit_bzero(text->data, text->size);
	buf_done(text);
}

static int fail(struct buf *error, const char *option, const char *file, const char *why)
{
	buf_printf(error, "%s: %s %s", option, file, why);
	return EXIT_USAGE;
}

int credentials_read(const char *option, const char *file, struct buf *ret, struct buf *error)
{
	int r = file_read_all(AT_FDCWD, file, LONGEST, ret);

	if (r < 0) {
		buf_printf(error, "%s: cannot read %s: %s", option, file, strerror(-r));
		return r == -EACCES || r == -EPERM ? EXIT_PERMISSION : EXIT_USAGE;
	}
	while (ret->length &&
	       (ret->data[ret->length - 1] == '\n' || ret->data[ret->length - 1] == '\r'))
		ret->data[--ret->length] = '\0';
	if (ret->length == 0)
		return fail(error, option, file, "is empty");
	for (size_t i = 0; i < ret->length; i++)
		if ((unsigned char)ret->data[i] < ' ' || ret->data[i] == 0x7F)
			return fail(error, option, file,
				    "has more than one line, or control characters");
	return 0;
}
