#include "basic/proc_path.h"

#include "basic/digits.h"

#include <string.h>

const char *proc_path(char path[PROC_PATH_SIZE], int32_t pid, const char *file)
{
	char *at = stpcpy(path, "proc/");

	if (pid < 0)
		*at++ = '-'; /* no such process, and the path says so */
	at = digits_put(at, pid < 0 ? -(uint64_t)pid : (uint64_t)pid);
	*at++ = '/';
	strcpy(at, file);
	return path;
}
