/* The key bar: the keys in the bottom line and their positions, for drawing and for the mouse. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct key_label {
	const char *key, *text;
	int code;    /* curses code of the key that a click is equivalent to */
	int rank;    /* in narrow terminals the highest ranks are dropped first; 0: never */
	bool writes; /* not with --read-only */
};

struct key_place {
	const struct key_label *label;
	int column, width;
	bool is_view; /* one of the five views, in their order */
};

enum { MAX_KEY_LABELS = 16 };

/* Places the labels that fit into the given columns, from the left; returns their number. */
size_t key_bar_place(int columns, bool read_only, struct key_place *places);
