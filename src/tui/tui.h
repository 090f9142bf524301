/*
 * The full-screen view: tt_smi -w on a terminal.
 */
#pragma once

#include "basic/buf.h"
#include "tui/frame.h"
#include "tui/settings.h"

struct tui {
	const char *version;
	const struct sample_source *machine;
	struct settings settings;
	struct settings kept; /* those of the file, without environment and options */
	bool read_only, color, utf8;
	unsigned count;	       /* of samples to show; 0: until quit */
	const char *complaint; /* first message; NULL: none */
};

/* How the screen ended. */
struct tui_end {
	int code;	 /* exit code of the last sample */
	int signal;	 /* to end by; 0: none */
	bool no_screen;	 /* the terminal cannot show it */
	bool stuck;	 /* the sampler thread hangs in a read and still uses the source */
	struct buf news; /* results that were not shown yet, a line each; to be freed */
};

/* -errno: the terminal cannot show a full screen; nothing was drawn. */
MUST_CHECK int tui_run(const struct tui *tui, struct tui_end *ret);
