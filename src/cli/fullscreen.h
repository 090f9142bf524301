/*
 * The full screen is a program of its own, so that printing a table needs libc only:
 * tt_smi-tui COMMAND [OPTION]..., where COMMAND is "show" or "mem".
 */
#pragma once

#include "basic/macros.h"

/* Executes it with the options of argv. Returns if it is not installed or cannot be used. */
void fullscreen_execute(const char *command, int argc, char **argv);
