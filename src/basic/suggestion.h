/* "Did you mean": finds the known word that is closest to a misspelt one. */
#pragma once

#include <stddef.h>

struct suggestion {
	const char *word; /* the misspelt one */
	size_t length;
	const char *best; /* NULL: none is close; not NUL-terminated unless the candidates are */
	size_t best_length, distance;
};

struct suggestion suggestion_begin(const char *word, size_t length);
void suggestion_try(struct suggestion *suggestion, const char *candidate, size_t length);
