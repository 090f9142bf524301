/* The keys in the bottom line, and where they stand: drawn and pressed in the same place. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct hint {
	const char *key, *text;
	int code;    /* of curses: what a press on it means */
	int rank;    /* where there is no room for all, those of the highest rank go first */
	bool writes; /* not with --read-only */
};

struct hint_place {
	const struct hint *hint;
	int column, width;
	bool is_view; /* one of the five, in their order */
};

enum { MAX_HINTS = 16 };

/* Those that fit into so many columns, from the left; returns how many. */
size_t hints_place(int columns, bool read_only, struct hint_place *places);
