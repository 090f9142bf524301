/*
 * Writes the difference between what is drawn on a canvas and what the terminal shows, in few
 * bytes: only cells that changed, the shortest movement to each, and the style that the terminal
 * was left in first. At a terminal far away these bytes are what a refresh costs.
 */
#pragma once

#include "basic/buf.h"
#include "tui/canvas.h"
#include "tui/terminal_strings.h"

/* Appends what has to be sent; from then on the terminal shows what is drawn. */
void canvas_write(struct canvas *canvas, const struct terminal_strings *strings, struct buf *out);
