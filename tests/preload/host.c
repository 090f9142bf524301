/*
 * host OWN [PLUGIN COMMAND,...]...: reports OWN bytes on device 0 itself, loads programs of the
 * test double, which execute their commands, all in one process; then prints "ready" and waits for
 * end of file on standard input.
 *
 * The command "unlinked" is its own: it calls TT-Metal from code that has no TT-Metal among
 * its libraries.
 */
#include "ttalloc.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Frees a buffer that was never allocated. */
static void unlinked(void)
{
	void *forget = dlsym(RTLD_DEFAULT, "_ZN2tt8tt_metal6Buffer19mark_as_deallocatedEv");
	char buffer[512] = { 0 };

	if (forget)
		((void (*)(void *))forget)(buffer);
	puts(buffer[72] ? "forgotten" : "not called");
}

static int plugin_run(const char *path, char *text)
{
	void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	int (*run)(int, char **);
	char *commands[64];
	int count = 0;

	if (!plugin) {
		fprintf(stderr, "host: %s\n", dlerror());
		return 2;
	}
	*(void **)&run = dlsym(plugin, "double_run");
	for (char *at = strtok(text, ","); at && count < 64; at = strtok(NULL, ","))
		if (strcmp(at, "unlinked") == 0)
			unlinked();
		else
			commands[count++] = at;
	return run(count, commands);
}

int main(int argc, char **argv)
{
	unsigned long own = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;
	char c;

	if (own)
		ttalloc_report_alloc(0, TTALLOC_DRAM, 1, own);
	for (int i = 2; i + 1 < argc; i += 2)
		if (plugin_run(argv[i], argv[i + 1]) != 0)
			return 2;
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) == 1)
		;
	return 0;
}
