#include "cli/separate_program.h"

#include "basic/exit_code.h"
#include "basic/sibling_program.h"
#include "cli/error_line.h"
#include "version.h"

#include <errno.h>
#include <string.h>

int optional_part_fail(enum optional_part part)
{
	CLEANUP_BUF struct buf text = { 0 };

	optional_part_put_missing(&text, part);
	return error_line(EXIT_UNAVAILABLE, "%s", buf_text(&text));
}

static int fail_to_execute(const char *program, int r)
{
	return error_line(EXIT_UNAVAILABLE, "cannot execute %s, which is installed with tt_smi: %s",
			  program, strerror(-r));
}

/* Only a build without the part has no such program. */
static int execute_optional(const char *program, char **argv, enum optional_part part)
{
	int r = sibling_program_execute(program, argv);

	return r == -ENOENT ? optional_part_fail(part) : fail_to_execute(program, r);
}

int serve_main(int argc, char **argv)
{
	(void)argc;
	return execute_optional("tt_smi-serve", argv, PART_SERVE);
}

int fleet_main(int argc, char **argv)
{
	(void)argc;
	return execute_optional("tt_smi-fleet", argv, PART_FLEET);
}

int trace_main(int argc, char **argv)
{
	static const char program[] = "tt_smi-trace";

	(void)argc;
	if (!TT_HAS_TRACE)
		return optional_part_fail(PART_TRACER);
	return fail_to_execute(program, sibling_program_execute(program, argv));
}

int sim_main(int argc, char **argv)
{
	static const char program[] = "tt_smi-sim";

	(void)argc;
	return fail_to_execute(program, sibling_program_execute(program, argv));
}
