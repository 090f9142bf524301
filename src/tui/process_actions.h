/* Actions for single processes: details, tags, following, signals. */
#pragma once

#include "tui/ui.h"

void ui_open_selected(struct ui *ui); /* the process, or else the device */
void ui_open_environment(struct ui *ui);
void ui_open_files(struct ui *ui);

void ui_toggle_tag(struct ui *ui);
void ui_tag_children(struct ui *ui);
void ui_untag_all(struct ui *ui);

void ui_toggle_follow(struct ui *ui);
void ui_open_signals(struct ui *ui);
