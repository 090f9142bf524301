#include "tui/hints.h"

#include "basic/macros.h"
#include "tui/layout.h"

#include <assert.h>
#include <curses.h>
#include <string.h>

/* The views first. Who can quit and knows of the help is never lost. */
static const struct hint hints[] = {
	{ "1", "Overview", '1', 1, false },    { "2", "Grid", '2', 1, false },
	{ "3", "Processes", '3', 1, false },   { "4", "Memory", '4', 1, false },
	{ "5", "Device", '5', 1, false },      { "h", "Help", 'h', 0, false },
	{ "F2", "Setup", KEY_F(2), 2, false }, { "/", "Find", '/', 2, false },
	{ "\\", "Filter", '\\', 2, false },    { "F6", "Sort", KEY_F(6), 3, false },
	{ "F9", "Kill", KEY_F(9), 3, true },   { "q", "Quit", 'q', 0, false },
};

static_assert(ARRAY_SIZE(hints) <= MAX_HINTS, "callers have room for so many");

static int width_of(size_t i)
{
	return (int)(strlen(hints[i].key) + strlen(hints[i].text));
}

/* Takes one away: the last of those of the highest rank. False: none may go. */
static bool drop_one(bool *shown)
{
	size_t worst = ARRAY_SIZE(hints);

	for (size_t i = 0; i < ARRAY_SIZE(hints); i++)
		if (shown[i] && hints[i].rank &&
		    (worst == ARRAY_SIZE(hints) || hints[i].rank >= hints[worst].rank))
			worst = i;
	if (worst == ARRAY_SIZE(hints))
		return false;
	shown[worst] = false;
	return true;
}

static int sum_of(const bool *shown)
{
	int sum = -1;

	for (size_t i = 0; i < ARRAY_SIZE(hints); i++)
		sum += shown[i] ? width_of(i) + 1 : 0;
	return sum;
}

size_t hints_place(int columns, bool read_only, struct hint_place *places)
{
	bool shown[ARRAY_SIZE(hints)];
	size_t count = 0;
	int at = 0;

	for (size_t i = 0; i < ARRAY_SIZE(hints); i++)
		shown[i] = !(hints[i].writes && read_only);
	while (sum_of(shown) > columns && drop_one(shown))
		;
	for (size_t i = 0; i < ARRAY_SIZE(hints); i++) {
		if (!shown[i])
			continue;
		places[count++] = (struct hint_place){ &hints[i], at, width_of(i), i < VIEW_N };
		at += width_of(i) + 1;
	}
	return count;
}
