#include "trace/process_stat.h"

#include "basic/file.h"
#include "basic/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

/* From include/linux/sched.h. Field 9 of /proc/PID/stat has these flags. */
#define PF_EXITING    0x4
#define PF_FORKNOEXEC 0x40

int process_stat_read(pid_t pid, struct process_stat *ret)
{
	char path[64], text[1024];
	unsigned long long start;
	unsigned flags;
	char state;
	const char *after;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	n = file_read(AT_FDCWD, path, text, sizeof(text));
	if (n < 0)
		return n == -ENOENT ? -ESRCH : (int)n;
	after = strrchr(text, ')'); /* the name, in parentheses, may contain any byte */
	if (!after || sscanf(after,
			     ") %c %*d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*u %*u %*d "
			     "%*d %*d %*d %llu",
			     &state, &flags, &start) != 3)
		return -EBADMSG;
	*ret = (struct process_stat){
		.start = start,
		.is_exiting = state == 'Z' || state == 'X' || flags & PF_EXITING,
		.is_forked = flags & PF_FORKNOEXEC,
	};
	return 0;
}

int process_stat_pages(pid_t pid, uint64_t *ret)
{
	char path[64], text[256];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/statm", pid);
	n = file_read(AT_FDCWD, path, text, sizeof(text));
	if (n < 0)
		return (int)n;
	text[strcspn(text, " ")] = '\0';
	return parse_u64(text, ret);
}

uid_t process_stat_owner(pid_t pid)
{
	char path[64], text[4096];
	const char *line = NULL;
	unsigned owner;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (file_read(AT_FDCWD, path, text, sizeof(text)) > 0)
		line = strstr(text, "\nUid:");
	return line && sscanf(line, "\nUid: %u", &owner) == 1 ? owner : (uid_t)-1;
}

bool process_is_alive(pid_t pid, uint64_t start)
{
	struct process_stat stat;

	return process_stat_read(pid, &stat) == 0 && stat.start == start && !stat.is_exiting;
}
