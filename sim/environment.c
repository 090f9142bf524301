#include "environment.h"

#include "basic/buf.h"
#include "basic/sibling_program.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const shells[] = { "sh",  "bash", "dash", "zsh", "fish",
				      "ksh", "mksh", "csh",  "tcsh" };

static int set_path(const char *variable, const char *root, const char *name)
{
	CLEANUP_BUF struct buf path = { 0 };

	buf_printf(&path, "%s/%s", root, name);
	return path.failed || setenv(variable, buf_text(&path), 1) < 0 ? -ENOMEM : 0;
}

int environment_own_server(const char *root)
{
	int r;

	r = set_path("TT_ALLOCD_SOCKET", root, "run/tt-smi/allocd.sock");
	if (r < 0)
		return r;
	return set_path("TT_ALLOCD_LEGACY_SOCKET", root, "run/tt-smi/legacy.sock");
}

/* Prepends the directory of tt_smi and tt_allocd to PATH. */
static void add_programs(void)
{
	char found[PATH_MAX], directory[PATH_MAX];
	const char *path = getenv("PATH");
	CLEANUP_BUF struct buf list = { 0 };

	if (sibling_program_find("tt_smi", found, sizeof(found)) < 0 || !realpath(found, directory))
		return;
	*strrchr(directory, '/') = '\0';
	buf_puts(&list, directory);
	if (path)
		buf_printf(&list, ":%s", path);
	if (!list.failed)
		setenv("PATH", buf_text(&list), 1);
}

void environment_of_command(const char *root)
{
	setenv("TT_SMI_ROOT", root, 1);
	add_programs();
}

static bool is_shell(const char *program)
{
	const char *slash = strrchr(program, '/');

	for (size_t i = 0; i < ARRAY_SIZE(shells); i++)
		if (strcmp(slash ? slash + 1 : program, shells[i]) == 0)
			return true;
	return false;
}

/* A shell with a script or a command to run (-c) is not interactive. */
static bool is_interactive(char **argv)
{
	for (size_t i = 1; argv[i]; i++)
		if (argv[i][0] != '-' || strcmp(argv[i], "-c") == 0)
			return false;
	return isatty(STDIN_FILENO);
}

void environment_announce(char **argv, const char *boards)
{
	if (!is_shell(argv[0]) || !is_interactive(argv))
		return;
	fprintf(stderr,
		"tt_smi sim: this shell runs on a simulated machine (%s), which is removed when it "
		"exits.\n"
		"tt_smi, tt_allocd and the demo are in PATH; a server started here serves "
		"the simulated machine only.\n",
		boards);
}
