/*
 * What people chose: a commented file of `name = value` lines under
 * $XDG_CONFIG_HOME/tt-smi, below environment variables TT_SMI_NAME, below flags. What
 * is unknown or broken is reported and ignored. Written only when asked to.
 */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"
#include "tui/layout.h"
#include "tui/tasks.h"
#include "tui/track.h"

struct settings {
	enum view view;
	struct task_order order;
	bool columns[TASK_N]; /* shown if there is room */
	size_t theme;
	unsigned refresh_ms;
	bool mouse;
	enum metric metric; /* of the first chart */
	unsigned span;	    /* of the charts, an index into settings_spans */
};

/* Seconds that charts can show. */
enum { N_SPANS = 5 };
extern const unsigned settings_spans[N_SPANS];

void settings_init(struct settings *settings);

/* One setting; -ENOENT: unknown name, -EINVAL: a value it cannot have. */
MUST_CHECK int settings_set(struct settings *settings, const char *name, const char *value);

/* The text of a settings file. Complaints are lines: "line 3: …". */
void settings_parse(struct settings *settings, const char *text, struct buf *complaints);

/* The file, then the environment. */
void settings_load(struct settings *settings, struct buf *complaints);

/* As a file, with a comment for each. */
void settings_write(const struct settings *settings, struct buf *out);

/* Into the file of settings_load(); the name is appended. -errno. */
MUST_CHECK int settings_save(const struct settings *settings, struct buf *ret_path);
