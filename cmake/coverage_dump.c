/*
 * Linked into every program of a coverage build, and of no other: writes the counters of programs
 * that do not end by exit(), but by _exit(), by an unhandled signal, or by one that they send
 * to themselves. fork() and exec*() are dealt with by gcc.
 */
#include <signal.h>
#include <stddef.h>

/* Some programs of the tests count nothing. */
void __gcov_dump(void) __attribute__((weak));
void __gcov_reset(void) __attribute__((weak));
_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);
int __real_raise(int number);
int __wrap_raise(int number);

static void dump(void)
{
	if (!__gcov_dump)
		return;
	__gcov_dump();
	__gcov_reset(); /* for a program that goes on */
}

void __wrap__exit(int status)
{
	dump();
	__real__exit(status);
}

int __wrap_raise(int number)
{
	dump();
	return __real_raise(number);
}

/* SA_RESETHAND: the second time it does what it always did. */
static void die(int number)
{
	__wrap_raise(number);
}

__attribute__((constructor)) static void watch_signals(void)
{
	static const int numbers[] = {
		SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2
	};
	struct sigaction now, then = { .sa_handler = die, .sa_flags = SA_RESETHAND };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
			sigaction(numbers[i], &then, NULL);
}
