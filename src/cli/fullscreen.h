/*
 * Runs the full screen, which is above this layer: it is part of a static tt_smi, otherwise a
 * separate program, so that printing a table loads libc only. In both cases its command line is
 * tt_smi-tui COMMAND [OPTION]..., where COMMAND is "show" or "mem"; or tt_smi-tui settings
 * NAME=VALUE..., which checks settings.
 */
#pragma once

#include "basic/macros.h"

/* It is part of this program: screen(argc, argv) returns an exit code. Called before main(). */
void fullscreen_link(int (*screen)(int argc, char **argv));

/* Runs it with the options of argv, and exits. Returns if it is not installed or cannot be used. */
void fullscreen_execute(const char *command, int argc, char **argv);

/*
 * Checks "name=value" texts of --set, which only the full screen knows. Returns an exit code, after
 * an error message; 0 if it is not installed.
 */
MUST_CHECK int fullscreen_check_settings(const char *const *settings, unsigned count);
