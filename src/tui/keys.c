#include "tui/keys.h"

#include "basic/macros.h"

#include <curses.h>

#define CTRL(letter) ((letter)&0x1f)

/* clang-format off */
const struct key_binding keys[] = {
	{ ACT_OVERVIEW, { '1' }, "1", "overview: devices, charts, processes" },
	{ ACT_GRID, { '2' }, "2", "grid: one cell per chip" },
	{ ACT_PROCESSES, { '3' }, "3", "processes: all columns" },
	{ ACT_MEMORY, { '4' }, "4", "memory: per device, pool and process" },
	{ ACT_DEVICE, { '5' }, "5", "device: all that is known of one, and why the rest is not" },
	{ ACT_NEXT_VIEW, { '\t' }, "Tab", "the next view" },
	{ ACT_PREVIOUS_VIEW, { KEY_BTAB }, "Shift-Tab", "the view before" },
	{ ACT_UP, { KEY_UP }, "Up", "up in the list, the grid or the text" },
	{ ACT_DOWN, { KEY_DOWN, 'j' }, "Down j", "down" },
	{ ACT_LEFT, { KEY_LEFT }, "Left", "the device before" },
	{ ACT_RIGHT, { KEY_RIGHT, 'd' }, "Right d", "the next device" },
	{ ACT_PAGE_UP, { KEY_PPAGE }, "PgUp", "a page up" },
	{ ACT_PAGE_DOWN, { KEY_NPAGE }, "PgDn", "a page down" },
	{ ACT_HOME, { KEY_HOME }, "Home", "to the top" },
	{ ACT_END, { KEY_END }, "End", "to the end" },
	{ ACT_ENTER, { '\r', '\n', KEY_ENTER }, "Enter", "more of what is selected" },
	{ ACT_BACK, { 27 }, "Esc", "back; clears the filter; never quits" },
	{ ACT_SEARCH, { KEY_F(3), '/' }, "F3 /", "find a process by command, user or pid" },
	{ ACT_SEARCH_NEXT, { 'n' }, "n", "the next one found" },
	{ ACT_SEARCH_PREVIOUS, { 'b' }, "b", "the one found before" },
	{ ACT_FILTER, { KEY_F(4), '\\' }, "F4 \\", "show only some: dram>1G user=root dev=0 python" },
	{ ACT_USER, { 'u' }, "u", "only the processes of one user" },
	{ ACT_OWNER, { 'o' }, "o", "only those of one container, pod, job or unit" },
	{ ACT_ISOLATE, { 'i' }, "i", "only those on the selected device, or all again" },
	{ ACT_TREE, { KEY_F(5), 't' }, "F5 t", "processes as a tree" },
	{ ACT_SORT_MENU, { KEY_F(6), 's' }, "F6 s", "choose the column to sort by" },
	{ ACT_SORT_LEFT, { '<', ',' }, "<", "sort by the column to the left" },
	{ ACT_SORT_RIGHT, { '>' }, ">", "sort by the column to the right" },
	{ ACT_INVERT, { 'I' }, "I", "sort the other way round" },
	{ ACT_SORT_PID, { 'N' }, "N", "sort by process id" },
	{ ACT_SORT_CPU, { 'P' }, "P", "sort by host CPU" },
	{ ACT_SORT_DRAM, { 'M' }, "M", "sort by DRAM" },
	{ ACT_SORT_L1, { 'L' }, "L", "sort by L1" },
	{ ACT_SORT_TIME, { 'T' }, "T", "sort by running time" },
	{ ACT_FOLLOW, { 'F' }, "F", "the selection follows its process" },
	{ ACT_TAG, { ' ' }, "Space", "tag a process" },
	{ ACT_TAG_CHILDREN, { 'c' }, "c", "tag it and all it has started" },
	{ ACT_UNTAG, { 'U' }, "U", "untag all" },
	{ ACT_SIGNAL, { KEY_F(9), 'k' }, "F9 k", "send a signal, after a question; not with --read-only" },
	{ ACT_ENVIRONMENT, { 'e' }, "e", "the environment of a process" },
	{ ACT_FILES, { 'l' }, "l", "the device files that it has open" },
	{ ACT_METRIC, { 'g' }, "g", "other readings in the charts" },
	{ ACT_CHARTS, { 'G' }, "G", "charts of several devices, or of several readings" },
	{ ACT_ZOOM_IN, { 'z' }, "z", "charts: less time" },
	{ ACT_ZOOM_OUT, { 'x' }, "x", "charts: more time" },
	{ ACT_EARLIER, { '[' }, "[", "charts: back in time, up to an hour" },
	{ ACT_LATER, { ']' }, "]", "charts: forward, up to now" },
	{ ACT_PAUSE, { 'Z' }, "Z", "pause: samples go on, the screen stays" },
	{ ACT_STEP, { '.' }, ".", "while paused: the next sample" },
	{ ACT_SLOWER, { KEY_F(7), '-' }, "F7 -", "fewer samples" },
	{ ACT_FASTER, { KEY_F(8), '+', '=' }, "F8 +", "more samples" },
	{ ACT_THEME, { 'C' }, "C", "other colours" },
	{ ACT_SETUP, { KEY_F(2), 'S' }, "F2 S", "setup: columns and their order, sort, theme, units, charts" },
	{ ACT_SAVE, { 'W' }, "W", "write the settings file" },
	{ ACT_REDRAW, { CTRL('L'), KEY_F(12) }, "Ctrl-L", "draw everything again" },
	{ ACT_HELP, { KEY_F(1), 'h', '?' }, "F1 h ?", "this help" },
	{ ACT_QUIT, { KEY_F(10), 'q' }, "F10 q", "quit" },
};
/* clang-format on */

const size_t n_keys = ARRAY_SIZE(keys);

enum action keys_find(int code)
{
	for (size_t i = 0; i < n_keys; i++)
		for (size_t k = 0; k < KEYS_EACH && keys[i].codes[k]; k++)
			if (keys[i].codes[k] == code)
				return keys[i].action;
	return ACT_NONE;
}
