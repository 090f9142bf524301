#include "tui/key_bar.h"

#include "basic/macros.h"
#include "render/screen_names.h"

#include <assert.h>
#include <curses.h>
#include <string.h>

/* Views first. Help and Quit are always shown. */
static const struct key_label labels[] = {
	{ "1", "Overview", '1', 1, false },    { "2", "Grid", '2', 1, false },
	{ "3", "Processes", '3', 1, false },   { "4", "Memory", '4', 1, false },
	{ "5", "Device", '5', 1, false },      { "h", "Help", 'h', 0, false },
	{ "F2", "Setup", KEY_F(2), 2, false }, { "/", "Find", '/', 2, false },
	{ "\\", "Filter", '\\', 2, false },    { "F6", "Sort", KEY_F(6), 3, false },
	{ "F9", "Kill", KEY_F(9), 3, true },   { "q", "Quit", 'q', 0, false },
};

static_assert(ARRAY_SIZE(labels) <= MAX_KEY_LABELS, "callers have room for so many");

static int width_of(size_t i)
{
	return (int)(strlen(labels[i].key) + strlen(labels[i].text));
}

/* Drops the last label of the highest rank. False: none may be dropped. */
static bool drop_one(bool *shown)
{
	size_t worst = ARRAY_SIZE(labels);

	for (size_t i = 0; i < ARRAY_SIZE(labels); i++)
		if (shown[i] && labels[i].rank &&
		    (worst == ARRAY_SIZE(labels) || labels[i].rank >= labels[worst].rank))
			worst = i;
	if (worst == ARRAY_SIZE(labels))
		return false;
	shown[worst] = false;
	return true;
}

static int sum_of(const bool *shown)
{
	int sum = -1;

	for (size_t i = 0; i < ARRAY_SIZE(labels); i++)
		sum += shown[i] ? width_of(i) + 1 : 0;
	return sum;
}

size_t key_bar_place(int columns, bool read_only, struct key_place *places)
{
	bool shown[ARRAY_SIZE(labels)];
	size_t count = 0;
	int at = 0;

	for (size_t i = 0; i < ARRAY_SIZE(labels); i++)
		shown[i] = !(labels[i].writes && read_only);
	while (sum_of(shown) > columns && drop_one(shown))
		;
	for (size_t i = 0; i < ARRAY_SIZE(labels); i++) {
		if (!shown[i])
			continue;
		places[count++] = (struct key_place){ &labels[i], at, width_of(i), i < VIEW_N };
		at += width_of(i) + 1;
	}
	return count;
}
