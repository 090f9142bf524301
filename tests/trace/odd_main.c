/*
 * odd NODE NAME WORD...: opens a device, sets the name of the process, and makes the calls of
 * odd.c; those with a + in front in a new thread. Then it reads further words, one per line; an
 * empty line ends it.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

void odd_prepare(void);
void odd_do(const char *word);

static void *on_thread(void *word)
{
	odd_do(word);
	return NULL;
}

static int do_word(char *word)
{
	pthread_t thread;

	if (word[0] != '+') {
		odd_do(word);
		return 0;
	}
	return pthread_create(&thread, NULL, on_thread, word + 1) || pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	char line[16];

	if (argc < 3 || open(argv[1], O_RDWR | O_CLOEXEC) < 0)
		return 2;
	prctl(PR_SET_NAME, argv[2]);
	odd_prepare();
	for (int i = 3; i < argc; i++)
		if (do_word(argv[i]) != 0)
			return 2;
	do {
		puts("ready");
		fflush(stdout);
		if (!fgets(line, sizeof(line), stdin))
			return 1;
		line[strcspn(line, "\n")] = '\0';
	} while (line[0] && do_word(line) == 0);
	return line[0] != '\0';
}
