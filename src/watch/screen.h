/*
 * The full screen of tt_smi -w ("show") and of tt_smi mem ("mem"): joins cli and tui.
 * cli/fullscreen.h describes its command line.
 */
#pragma once

/* PROGRAM COMMAND [OPTION]... or PROGRAM settings NAME=VALUE...; returns an exit code. */
int screen_main(int argc, char **argv);
