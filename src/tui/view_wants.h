/* The fields that a view needs. */
#pragma once

#include "model/want.h"
#include "render/screen_names.h"

void view_wants(enum view view, struct want *want);
