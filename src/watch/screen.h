/*
 * The full screen of tt_smi -w ("show") and of tt_smi mem ("mem"): joins cli and tui. Its words are
 * those of cli/fullscreen.h.
 */
#pragma once

/* PROGRAM COMMAND [OPTION]... or PROGRAM settings NAME=VALUE...; returns an exit code. */
int screen_main(int argc, char **argv);
