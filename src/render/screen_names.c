#include "render/screen_names.h"

const char *const view_names[VIEW_N] = {
	[VIEW_OVERVIEW] = "overview", [VIEW_GRID] = "grid",	[VIEW_PROCESSES] = "processes",
	[VIEW_MEMORY] = "memory",     [VIEW_DEVICE] = "device",
};

const char *const theme_names[THEME_N] = {
	[THEME_DEFAULT] = "default",
	[THEME_COLORBLIND] = "colorblind",
	[THEME_LIGHT] = "light",
	[THEME_MONO] = "mono",
};
