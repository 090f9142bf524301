#include "trace/commands.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int complain(int code, const char *format, ...)
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
	case -EACCES: return TRACE_PERMISSION;
	case -ENOTSUP: return TRACE_UNAVAILABLE;
	default: return TRACE_INTERNAL;
	}
}
