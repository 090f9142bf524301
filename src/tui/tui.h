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
	struct settings kept; /* those of the file: the others are for this once */
	bool read_only, color, utf8;
	unsigned count;	       /* ends after so many samples; 0: never */
	const char *complaint; /* said at first; NULL: none */
};

/* How it ended. */
struct tui_end {
	int code;	 /* exit code of the last sample */
	int signal;	 /* to end by; 0: none */
	bool no_screen;	 /* it did not even begin */
	bool stuck;	 /* the sampler thread is in a read that hangs, and keeps the machine */
	struct buf news; /* lines that the screen had no time to show; to be freed */
};

/* -errno: this is no terminal that can do it; nothing was shown. */
MUST_CHECK int tui_run(const struct tui *tui, struct tui_end *ret);
