/* Keeps the state of the screen consistent after new samples, results, sizes and actions. */
#pragma once

#include "tui/ui.h"

/* Takes ownership of a new frame. */
void ui_take_frame(struct ui *ui, struct frame *frame);

/* Fetches results of tasks. */
void ui_take_results(struct ui *ui);

void ui_resize(struct ui *ui, int rows, int columns);

/* Shows this frame and takes ownership of it. */
void ui_show(struct ui *ui, struct frame *frame);

/* The oldest frame that arrived during a pause; the caller owns it. There must be one. */
struct frame *ui_take_waiting(struct ui *ui);

/* Builds the list of processes again, after a change of filter, order or sample. */
void ui_list(struct ui *ui);

/* Adapts layout, selection and scroll positions to the state. */
void ui_settle(struct ui *ui);
