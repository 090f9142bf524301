#include "tui/keys.h"

#include "basic/macros.h"

#include <curses.h>

#define CTRL(letter) ((letter)&0x1f)

/* clang-format off */
const struct key_binding keys[] = {
	{ ACT_OVERVIEW, { '1' }, "1", "overview: devices, charts, processes", "Views" },
	{ ACT_GRID, { '2' }, "2", "grid: one cell per chip" },
	{ ACT_PROCESSES, { '3' }, "3", "processes: all columns" },
	{ ACT_MEMORY, { '4' }, "4", "memory: per device, pool and process" },
	{ ACT_DEVICE, { '5' }, "5", "device: every value of one, or why it is unknown" },
	{ ACT_NEXT_VIEW, { '\t' }, "Tab", "the next view" },
	{ ACT_PREVIOUS_VIEW, { KEY_BTAB }, "Shift-Tab", "the previous view" },
	{ ACT_UP, { KEY_UP }, "Up", "up in list, grid or text", "Selection" },
	{ ACT_DOWN, { KEY_DOWN, 'j' }, "Down j", "down" },
	{ ACT_LEFT, { KEY_LEFT }, "Left", "the previous device" },
	{ ACT_RIGHT, { KEY_RIGHT, 'd' }, "Right d", "the next device" },
	{ ACT_PAGE_UP, { KEY_PPAGE }, "PgUp", "a page up" },
	{ ACT_PAGE_DOWN, { KEY_NPAGE }, "PgDn", "a page down" },
	{ ACT_HOME, { KEY_HOME }, "Home", "to the top" },
	{ ACT_END, { KEY_END }, "End", "to the end" },
	{ ACT_ENTER, { '\r', '\n', KEY_ENTER }, "Enter", "details of the selection" },
	{ ACT_BACK, { 27 }, "Esc", "back; clears the filter; never quits" },
	{ ACT_SEARCH, { KEY_F(3), '/' }, "F3 /", "find a process by command, user or pid", "Find and filter" },
	{ ACT_SEARCH_NEXT, { 'n' }, "n", "the next match" },
	{ ACT_SEARCH_PREVIOUS, { 'b' }, "b", "the previous match" },
	{ ACT_FILTER, { KEY_F(4), '\\' }, "F4 \\", "show only some: dram>1G user=root dev=0 python" },
	{ ACT_USER, { 'u' }, "u", "only the processes of one user" },
	{ ACT_OWNER, { 'o' }, "o", "only processes of one container, pod, job or unit" },
	{ ACT_ISOLATE, { 'i' }, "i", "only processes on the selected device, or all again" },
	{ ACT_TREE, { KEY_F(5), 't' }, "F5 t", "processes as a tree", "Order of processes" },
	{ ACT_SORT_MENU, { KEY_F(6), 's' }, "F6 s", "choose the sort column" },
	{ ACT_SORT_LEFT, { '<', ',' }, "<", "sort by previous column" },
	{ ACT_SORT_RIGHT, { '>' }, ">", "sort by next column" },
	{ ACT_INVERT, { 'I' }, "I", "reverse the sort order" },
	{ ACT_SORT_PID, { 'N' }, "N", "sort by process id" },
	{ ACT_SORT_CPU, { 'P' }, "P", "sort by host CPU" },
	{ ACT_SORT_DRAM, { 'M' }, "M", "sort by DRAM" },
	{ ACT_SORT_L1, { 'L' }, "L", "sort by L1" },
	{ ACT_SORT_TIME, { 'T' }, "T", "sort by running time" },
	{ ACT_FOLLOW, { 'F' }, "F", "selection follows process", "Single processes" },
	{ ACT_TAG, { ' ' }, "Space", "tag a process" },
	{ ACT_TAG_CHILDREN, { 'c' }, "c", "tag it and its children" },
	{ ACT_UNTAG, { 'U' }, "U", "untag all" },
	{ ACT_SIGNAL, { KEY_F(9), 'k' }, "F9 k", "send a signal, after confirmation; not with --read-only" },
	{ ACT_ENVIRONMENT, { 'e' }, "e", "environment of a process" },
	{ ACT_FILES, { 'l' }, "l", "device files of a process" },
	{ ACT_METRIC, { 'g' }, "g", "the next reading in the charts", "Charts" },
	{ ACT_CHARTS, { 'G' }, "G", "charts of several devices, or of several readings" },
	{ ACT_ZOOM_IN, { 'z' }, "z", "charts: shorter time span" },
	{ ACT_ZOOM_OUT, { 'x' }, "x", "charts: longer time span" },
	{ ACT_EARLIER, { '[' }, "[", "charts: back in time" },
	{ ACT_LATER, { ']' }, "]", "charts: forward to now" },
	{ ACT_PAUSE, { 'Z' }, "Z", "pause the screen; sampling continues", "Screen" },
	{ ACT_STEP, { '.' }, ".", "while paused: the next sample" },
	{ ACT_SLOWER, { KEY_F(7), '-' }, "F7 -", "refresh less often" },
	{ ACT_FASTER, { KEY_F(8), '+', '=' }, "F8 +", "refresh more often" },
	{ ACT_THEME, { 'C' }, "C", "the next theme" },
	{ ACT_SETUP, { KEY_F(2), 'S' }, "F2 S", "setup: columns and their order, sort, theme, units, charts" },
	{ ACT_SAVE, { 'W' }, "W", "write the settings file" },
	{ ACT_REDRAW, { CTRL('L'), KEY_F(12) }, "Ctrl-L", "redraw the screen" },
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
