/*
 * The full screen is a separate program, so that printing a table needs libc only: tt_smi-tui
 * COMMAND [OPTION]..., where COMMAND is "show" or "mem"; or tt_smi-tui settings NAME=VALUE...,
 * which checks settings.
 */
#pragma once

#include "basic/macros.h"

/* Executes it with the options of argv. Returns if it is not installed or cannot be used. */
void fullscreen_execute(const char *command, int argc, char **argv);

/*
 * Checks "name=value" texts of --set, which only the full screen knows. Returns an exit code, after
 * an error message; 0 if it is not installed.
 */
MUST_CHECK int fullscreen_check_settings(const char *const *settings, unsigned count);
