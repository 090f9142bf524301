/* The fields that a view needs. */
#pragma once

#include "model/want.h"
#include "tui/layout.h"

void view_wants(enum view view, struct want *want);
