/* What commands that look at a machine are told in the same words. */
#pragma once

#include "cli/look.h"
#include "model/select.h"

#include <stdbool.h>

enum { MAX_SETTINGS = 16 };

struct common_options {
	const char *root; /* NULL: this machine */
	struct selection selection;
	enum color color;
	bool ascii;
	unsigned refresh_ms; /* 0: not said */
	unsigned count;	     /* samples; 0: for ever */
	/* of the full screen */
	bool plain; /* not wanted */
	bool read_only;
	const char *view, *theme;	    /* NULL: as the settings have it */
	const char *settings[MAX_SETTINGS]; /* "name=value" */
	unsigned n_settings;
};

/* As the environment has them. */
struct common_options common_options_default(void);
void common_options_done(struct common_options *common);
