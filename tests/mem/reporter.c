/*
 * reporter: a program that reports allocations through libttalloc, for tests.
 *
 *	reporter NODE COUNT SIZE [POOL]	holds COUNT allocations of SIZE bytes
 *
 * Prints "ready" and its pid once they are reported, then reads commands, one per line:
 * "alloc", "free" (frees the last one), "end".
 */
#include <ttalloc.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	unsigned long node, count, size;
	enum ttalloc_pool pool = TTALLOC_DRAM;
	char word[16];

	if (argc < 4)
		return 2;
	node = strtoul(argv[1], NULL, 10);
	count = strtoul(argv[2], NULL, 10);
	size = strtoul(argv[3], NULL, 10);
	if (argc > 4)
		pool = (enum ttalloc_pool)strtoul(argv[4], NULL, 10);
	ttalloc_bind_node(0, (unsigned)node);
	ttalloc_set_program("reporter");
	for (unsigned long i = 0; i < count; i++)
		ttalloc_report_alloc(0, pool, i + 1, size);
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	while (scanf("%15s", word) == 1) {
		if (strcmp(word, "alloc") == 0)
			ttalloc_report_alloc(0, pool, ++count, size);
		else if (strcmp(word, "free") == 0)
			ttalloc_report_free(0, pool, count--);
		else
			break;
	}
	return 0;
}
