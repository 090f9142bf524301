/* A shared text (basic/shared_text.h) with this content. */
#pragma once

#include "basic/shared_text.h"
#include "unit.h"

static inline char *shared_copy(const char *text)
{
	char *copy = shared_text_new(strlen(text) + 1);

	assert_non_null(copy);
	return strcpy(copy, text);
}
