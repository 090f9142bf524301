#include "cli/command.h"
#include "cli/look.h"

int main(int argc, char **argv)
{
	const struct command *command;

	look_set_locale();
	command = command_find(&argc, &argv);
	return command->run(argc, argv);
}
