/* What has to be read for a view. */
#pragma once

#include "model/want.h"
#include "tui/layout.h"

void view_wants(enum view view, struct want *want);
