/*
 * A program that reports through libttalloc, controlled by lines on standard input:
 *
 *	alloc DEVICE POOL ID SIZE | free DEVICE POOL ID | many POOL SIZE COUNT
 *	name TEXT | node DEVICE NODE | poll | state | fork | exec | exit STATUS
 *
 * Each is answered with a number. "fork" creates a child that continues while the parent waits;
 * "exec" executes cat(1) in the same process.
 */
#include "ttalloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int many(unsigned pool, unsigned long long size, unsigned long long count)
{
	int r = 0;

	for (unsigned long long i = 0; i < count && r == 0; i++)
		r = ttalloc_report_alloc(0, (enum ttalloc_pool)pool, 0x1000 * (i + 1), size);
	return r;
}

static int split(void)
{
	pid_t pid = fork();

	if (pid > 0) {
		int status;

		waitpid(pid, &status, 0);
		_exit(0);
	}
	return getpid();
}

static int obey(const char *word, const char *rest)
{
	unsigned long long a = 0, b = 0, c = 0, d = 0;

	sscanf(rest, "%llu %llu %llu %llu", &a, &b, &c, &d);
	if (strcmp(word, "alloc") == 0)
		return ttalloc_report_alloc((unsigned)a, (enum ttalloc_pool)b, c, d);
	if (strcmp(word, "free") == 0)
		return ttalloc_report_free((unsigned)a, (enum ttalloc_pool)b, c);
	if (strcmp(word, "many") == 0)
		return many((unsigned)a, b, c);
	if (strcmp(word, "name") == 0)
		return ttalloc_set_program(rest + 1);
	if (strcmp(word, "node") == 0)
		return ttalloc_bind_node((unsigned)a, (unsigned)b);
	if (strcmp(word, "poll") == 0)
		return ttalloc_poll(), 0;
	if (strcmp(word, "state") == 0)
		return (int)ttalloc_get_state();
	if (strcmp(word, "fork") == 0)
		return split();
	if (strcmp(word, "exec") == 0)
		return execlp("cat", "cat", (char *)NULL);
	if (strcmp(word, "exit") == 0)
		_exit((int)a);
	return -1000;
}

int main(void)
{
	char line[256], word[16];

	setvbuf(stdin, NULL, _IONBF, 0);
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%15s", word) != 1)
			continue;
		printf("%d\n", obey(word, line + strlen(word)));
		fflush(stdout);
	}
	return 0;
}
