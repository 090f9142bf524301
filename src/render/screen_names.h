/*
 * The views and themes of the full screen, by the names that options and settings use. Here, since
 * options are checked in programs without a full screen too.
 */
#pragma once

enum view { VIEW_OVERVIEW, VIEW_GRID, VIEW_PROCESSES, VIEW_MEMORY, VIEW_DEVICE, VIEW_N };
extern const char *const view_names[VIEW_N];

enum theme { THEME_DEFAULT, THEME_COLORBLIND, THEME_LIGHT, THEME_MONO, THEME_N };
extern const char *const theme_names[THEME_N];
