/* What keys do, and the parts of the state they share. */
#pragma once

#include "tui/ui.h"

/* Shows this frame, whose reference is taken over. */
void ui_show(struct ui *ui, struct frame *frame);

/* The first of the frames that wait, with its reference; there is one. */
struct frame *ui_take_waiting(struct ui *ui);

/* Makes the list of processes again. */
void ui_list(struct ui *ui);

/* Brings positions and rectangles in line after any change. */
void ui_settle(struct ui *ui);

/* Keys that go to what lies over the view. */
void overlay_key(struct ui *ui, int code);
void overlay_open(struct ui *ui, enum overlay overlay);
void overlay_close(struct ui *ui);

/* Is it one of the codes that Enter has? */
bool is_enter(int code);

/* Moves in a menu of so many lines, by the keys that move elsewhere; Esc closes it. */
void menu_key(struct ui *ui, int code, size_t count);

/* After a change of the settings: everything follows. */
void ui_apply(struct ui *ui);

/* Asks for the settings file to be written. */
void ui_save(struct ui *ui);

/* The filter as people wrote it; says what is wrong with it. False: it stays as it was. */
bool ui_set_filter(struct ui *ui, const char *text);

/* A frame of the processes' columns: widths by column, 0: not shown. */
void table_plan(const struct ui *ui, int width, int *widths);

void ui_select_row(struct ui *ui, size_t row);
void ui_search(struct ui *ui, size_t from, bool forward);
