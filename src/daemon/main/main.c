/*
 * tt_allocd: collects the memory usage of programs on Tenstorrent cards, provides it to users, and
 * keeps accounts of finished processes.
 */
#include "basic/exit_code.h"
#include "daemon/log.h"
#include "daemon/manager.h"
#include "daemon/options.h"
#include "daemon/reexec.h"
#include "daemon/server.h"
#include "version.h"

#include <stdio.h>

static int print(const struct server_options *options)
{
	CLEANUP_BUF struct buf text = { 0 };

	if (options->help)
		options_help(&text);
	else
		buf_printf(&text, "tt_allocd %s\n", TT_SMI_VERSION);
	if (fputs(buf_text(&text), stdout) < 0 || fflush(stdout) != 0) {
		log_line(LOG_FAULT, "cannot write standard output");
		return EXIT_OUTPUT;
	}
	return 0;
}

static int serve(const struct server_options *options, char **argv)
{
	static struct manager manager;
	int r = server_init(&manager, options);

	while (r >= 0) {
		r = server_run(&manager);
		if (r < 0 || !manager.reexec)
			break;
		server_drain(&manager);
		reexec(&manager, argv); /* returns on failure only */
		manager.reexec = manager.loop.stopped = false;
	}
	server_done(&manager);
	return r < 0 ? EXIT_FAILED : EXIT_FINE;
}

int main(int argc, char **argv)
{
	struct server_options options;
	int code;

	reexec_begin();
	code = options_parse(&options, argc, argv);
	if (code)
		return code;
	if (options.help || options.version)
		return print(&options);
	log_set(options.quiet ? LOG_REFUSAL : options.verbose ? LOG_EVENT : LOG_NOTE);
	code = options.trace && !reexec_has_state() ? tracer_check() : 0;
	if (code)
		return code;
	return serve(&options, argv);
}
