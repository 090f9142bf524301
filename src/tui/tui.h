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
	struct settings kept; /* as in the settings file, without environment and options */
	bool read_only, color, utf8;
	unsigned count;	     /* number of samples to show; 0: until quit */
	const char *message; /* message at the start; NULL: none */
};

/* How the full screen was left. */
struct tui_end {
	int code;	   /* exit code of the last sample */
	int signal;	   /* signal to end by; 0: none */
	bool no_screen;	   /* the terminal is not suitable */
	bool stuck;	   /* the sampler thread hangs in a read and still uses the source */
	struct buf unread; /* results that were not shown, one line each; to be freed */
};

/* -errno: the terminal cannot show a full screen; nothing was drawn. */
MUST_CHECK int tui_run(const struct tui *tui, struct tui_end *ret);
