/*
 * Linked into every program of a coverage build, and only there. gcov's runtime writes the counters
 * in exit(); this file writes them also if a program ends by _exit(), or by a signal that it did
 * not handle or has sent to itself. gcc itself handles fork() and exec*().
 */
#include <signal.h>
#include <stddef.h>

/* Weak, since some programs of the tests are compiled without counters. */
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
	__gcov_reset(); /* the program may continue: do not count anything twice */
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

/* The handler was installed with SA_RESETHAND, so the second signal has its default effect. */
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
