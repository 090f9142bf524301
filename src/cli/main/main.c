#include "cli/command.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* A locale that is asked for but not installed still says what the terminal speaks. */
static void set_locale(void)
{
	const char *wanted = getenv("LC_ALL");

	if (setlocale(LC_CTYPE, ""))
		return;
	if (!wanted || !wanted[0])
		wanted = getenv("LC_CTYPE");
	if (!wanted || !wanted[0])
		wanted = getenv("LANG");
	if (wanted && (strstr(wanted, "UTF-8") || strstr(wanted, "utf8")))
		setlocale(LC_CTYPE, "C.UTF-8");
}

int main(int argc, char **argv)
{
	const struct command *command;

	set_locale();
	command = command_find(&argc, &argv);
	return command->run(argc, argv);
}
