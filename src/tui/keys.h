/*
 * Key bindings: one table for the program, the help and the manual page (a test compares it with
 * tt_smi(1)). Keys are those of htop where it has them.
 */
#pragma once

#include <stddef.h>

enum action {
	ACT_NONE,
	ACT_OVERVIEW, /* these five in the order of the views */
	ACT_GRID,
	ACT_PROCESSES,
	ACT_MEMORY,
	ACT_DEVICE,
	ACT_NEXT_VIEW,
	ACT_PREVIOUS_VIEW,
	ACT_UP,
	ACT_DOWN,
	ACT_LEFT,
	ACT_RIGHT,
	ACT_PAGE_UP,
	ACT_PAGE_DOWN,
	ACT_HOME,
	ACT_END,
	ACT_ENTER,
	ACT_BACK,
	ACT_SEARCH,
	ACT_SEARCH_NEXT,
	ACT_SEARCH_PREVIOUS,
	ACT_FILTER,
	ACT_USER,
	ACT_OWNER,
	ACT_ISOLATE,
	ACT_TREE,
	ACT_SORT_MENU,
	ACT_SORT_LEFT,
	ACT_SORT_RIGHT,
	ACT_INVERT,
	ACT_SORT_PID,
	ACT_SORT_CPU,
	ACT_SORT_DRAM,
	ACT_SORT_L1,
	ACT_SORT_TIME,
	ACT_FOLLOW,
	ACT_TAG,
	ACT_TAG_CHILDREN,
	ACT_UNTAG,
	ACT_SIGNAL,
	ACT_ENVIRONMENT,
	ACT_FILES,
	ACT_METRIC,
	ACT_CHARTS,
	ACT_ZOOM_IN,
	ACT_ZOOM_OUT,
	ACT_EARLIER,
	ACT_LATER,
	ACT_PAUSE,
	ACT_STEP,
	ACT_SLOWER,
	ACT_FASTER,
	ACT_THEME,
	ACT_SETUP,
	ACT_SAVE,
	ACT_REDRAW,
	ACT_HELP,
	ACT_QUIT,
};

enum { KEYS_EACH = 5 };

struct key_binding {
	enum action action;
	int codes[KEYS_EACH]; /* of curses; 0-terminated */
	const char *names;    /* for the help: "F3 /" */
	const char *help;
	const char *group; /* title of the group that begins with it; NULL: the same group */
};

extern const struct key_binding keys[];
extern const size_t n_keys;

enum action keys_find(int code);
