/*
 * The setup screen: the settings line by line, then the columns of the processes. Changes
 * take effect at once; the file is written only on request.
 */
#pragma once

#include "tui/ui.h"

size_t setup_count(void);

/* The text of a line. */
void setup_put(const struct ui *ui, struct buf *out, size_t line);

void setup_key(struct ui *ui, int code);
