/*
 * Settings of the full screen: a commented file of `name = value` lines in
 * $XDG_CONFIG_HOME/tt-smi; environment variables TT_SMI_NAME override it, and options
 * override both. Unknown names and invalid values are reported and ignored. The file is
 * written only on request.
 */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"
#include "render/format.h"
#include "tui/column_choice.h"
#include "render/screen_names.h"
#include "render/plot.h"
#include "tui/process_list.h"
#include "tui/theme.h"
#include "model/metric.h"

/* What the charts show side by side. */
enum chart_mode {
	CHARTS_OF_READINGS, /* several readings of one device */
	CHARTS_OF_DEVICES,  /* one reading of several devices */
	CHARTS_N,
};

struct settings {
	enum view view;
	struct process_order order;
	struct column_choice columns; /* of the processes */
	enum theme theme;
	enum units units;
	unsigned refresh_ms;
	bool mouse;
	enum metric metric; /* of the first chart */
	enum chart_mode charts;
	enum plot_characters characters; /* of the charts */
	unsigned span;			 /* of the charts, an index into settings_spans */
};

/* Seconds that charts can show. */
enum { N_SPANS = 5 };
extern const unsigned settings_spans[N_SPANS];

void settings_init(struct settings *settings);

/* Sets one setting; -ENOENT: unknown name, -EINVAL: invalid value. */
MUST_CHECK int settings_set(struct settings *settings, const char *name, const char *value);

/*
 * The settings by index, for the setup screen. Turning one selects the next or previous value; a
 * setting with too many values cannot be turned.
 */
extern const size_t settings_count;
size_t settings_find(const char *name); /* settings_count: there is none */
const char *settings_name(size_t i);
void settings_put_help(size_t i, struct buf *out);
void settings_put(const struct settings *settings, size_t i, struct buf *out);
bool settings_can_turn(size_t i);
void settings_turn(struct settings *settings, size_t i, int direction);

/* The next or previous refresh period, among those selectable by keys. */
unsigned settings_next_refresh(unsigned ms, int direction);

/* Parses the text of a settings file. Warnings: "line 3: …; line 7: …". */
void settings_parse(struct settings *settings, const char *text, struct buf *warnings);

/* Reads the settings file. */
void settings_load(struct settings *settings, struct buf *warnings);

/* Reads the environment variables. */
void settings_load_environment(struct settings *settings, struct buf *warnings);

/* Applies the changes between before and now to the settings kept for the file. */
void settings_keep(struct settings *kept, const struct settings *before,
		   const struct settings *now);

/* Formats a settings file, with a comment for each setting. */
void settings_write(const struct settings *settings, struct buf *out);

/* Writes the file of settings_load(); its path is appended. -errno. */
MUST_CHECK int settings_save(const struct settings *settings, struct buf *ret_path);
