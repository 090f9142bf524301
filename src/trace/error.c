#include "trace/commands.h"

#include "trace/lock.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int print_error(int code, const char *format, ...)
{
	va_list args;

	fputs("tt_smi-trace: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return code;
}

int exit_code(int r)
{
	switch (r) {
	case -EPERM:
	case -EACCES: return EXIT_PERMISSION;
	case -ENOTSUP: return EXIT_UNAVAILABLE;
	default: return EXIT_INTERNAL;
	}
}

int print_lock_error(int r)
{
	if (exit_code(r) == EXIT_PERMISSION && geteuid() != 0)
		return print_error(EXIT_PERMISSION,
				   "permission denied: only root may change tracing");
	return print_error(exit_code(r), LOCK_FILE ": %s", strerror(-r));
}
