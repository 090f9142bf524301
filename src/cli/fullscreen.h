/*
 * The full screen is a program of its own, so that a table once needs libc only.
 */
#pragma once

/* Becomes that program, with the same options. Returns if it is not there or cannot be used. */
void fullscreen_execute(char **argv);
