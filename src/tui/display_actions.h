/* Actions for charts, time and settings. */
#pragma once

#include "tui/ui.h"

void ui_scroll_time(struct ui *ui, int direction);
void ui_zoom(struct ui *ui, int by);
void ui_next_metric(struct ui *ui);
void ui_toggle_charts(struct ui *ui);

void ui_toggle_pause(struct ui *ui);
void ui_step(struct ui *ui); /* while paused: the next sample */
void ui_change_period(struct ui *ui, int direction);

void ui_change_theme(struct ui *ui);

/* Puts changed settings into effect. */
void ui_apply(struct ui *ui);

/* Requests writing the settings file. */
void ui_save(struct ui *ui);
