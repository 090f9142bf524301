/*
 * What people chose: a commented file of `name = value` lines under
 * $XDG_CONFIG_HOME/tt-smi, below environment variables TT_SMI_NAME, below flags. What
 * is unknown or broken is reported and ignored. Written only when asked to.
 */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"
#include "render/format.h"
#include "tui/layout.h"
#include "tui/plot.h"
#include "tui/tasks.h"
#include "tui/track.h"

struct settings {
	enum view view;
	struct task_order order;
	enum task_column columns[TASK_N]; /* all of them, in the order of the screen */
	bool hidden[TASK_N];		  /* by column; the others are shown if there is room */
	size_t theme;
	enum units units;
	unsigned refresh_ms;
	bool mouse;
	enum metric metric;	/* of the first chart */
	bool charts_of_devices; /* one reading of several, else several readings of one */
	enum plot_signs signs;	/* of the charts */
	unsigned span;		/* of the charts, an index into settings_spans */
};

/* Seconds that charts can show. */
enum { N_SPANS = 5 };
extern const unsigned settings_spans[N_SPANS];

void settings_init(struct settings *settings);

/* One setting; -ENOENT: unknown name, -EINVAL: a value it cannot have. */
MUST_CHECK int settings_set(struct settings *settings, const char *name, const char *value);

/*
 * The settings one by one, for whoever offers them to people. Turning one chooses the
 * value after or before its own; not all have few enough of them.
 */
extern const size_t settings_count;
const char *settings_name(size_t i);
const char *settings_help(size_t i);
void settings_put(const struct settings *settings, size_t i, struct buf *out);
bool settings_can_turn(size_t i);
void settings_turn(struct settings *settings, size_t i, int direction);

/* The pace after or before this one. */
unsigned settings_next_refresh(unsigned ms, int direction);

/* A column of the processes: shown or not (two always are), or one place to the right. */
void settings_show_column(struct settings *settings, enum task_column column, bool shown);
void settings_move_column(struct settings *settings, size_t place, int direction);

/* The text of a settings file. Complaints: "line 3: …; line 7: …". */
void settings_parse(struct settings *settings, const char *text, struct buf *complaints);

/* The file. */
void settings_load(struct settings *settings, struct buf *complaints);

/* What the environment says. */
void settings_load_environment(struct settings *settings, struct buf *complaints);

/* What people changed from before to now is changed in what is kept for the file. */
void settings_keep(struct settings *kept, const struct settings *before,
		   const struct settings *now);

/* As a file, with a comment for each. */
void settings_write(const struct settings *settings, struct buf *out);

/* Into the file of settings_load(); the name is appended. -errno. */
MUST_CHECK int settings_save(const struct settings *settings, struct buf *ret_path);
