/*
 * For a program that this file is linked into:
 *
 * A clock that only the test advances: the file named by TT_BOOT_CLOCK has the seconds since boot,
 * as text.
 *
 * A gate before a claim: a claim of TT_GATE_STAGE (its number of bytes) is made when the file
 * TT_GATE exists. TT_GATE.reached is created when the program waits there.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *ret)
{
	const char *name = getenv("TT_BOOT_CLOCK");
	FILE *file = clock == CLOCK_BOOTTIME && name ? fopen(name, "re") : NULL;
	char line[32];
	char *end = line;
	long seconds = 0;

	if (file && fgets(line, sizeof(line), file))
		seconds = strtol(line, &end, 10);
	if (file)
		fclose(file);
	if (end == line)
		return (int)syscall(SYS_clock_gettime, clock, ret);
	*ret = (struct timespec){ .tv_sec = seconds };
	return 0;
}

static void pass_gate(const struct flock *lock)
{
	const char *stage = getenv("TT_GATE_STAGE"), *gate = getenv("TT_GATE");
	char reached[256];

	if (!stage || !gate || lock->l_type != F_RDLCK || lock->l_len != strtol(stage, NULL, 10) ||
	    lock->l_start >> 60) /* finds out an inode (source/claim_files.c) */
		return;
	snprintf(reached, sizeof(reached), "%s.reached", gate);
	close(open(reached, O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
	while (access(gate, F_OK) < 0)
		usleep(1000);
}

int fcntl(int fd, int command, ...)
{
	va_list arguments;
	void *argument;

	va_start(arguments, command);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	if (command == F_SETLK)
		pass_gate(argument);
	return (int)syscall(SYS_fcntl, fd, command, argument);
}
