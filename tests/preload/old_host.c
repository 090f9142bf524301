#include <stdio.h>
#include <unistd.h>

int old_run(const char *script);

int main(int argc, char **argv)
{
	char c;

	if (argc > 1)
		old_run(argv[1]);
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) == 1)
		;
	return 0;
}
