/* odd NODE NAME WORD...: holds a device under that name, and makes the library's calls. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

void odd_prepare(void);
void odd_do(const char *word);

int main(int argc, char **argv)
{
	char line[16];

	if (argc < 3 || open(argv[1], O_RDWR | O_CLOEXEC) < 0)
		return 2;
	prctl(PR_SET_NAME, argv[2]);
	odd_prepare();
	for (int i = 3; i < argc; i++)
		odd_do(argv[i]);
	puts("ready");
	fflush(stdout);
	return fgets(line, sizeof(line), stdin) ? 0 : 1;
}
