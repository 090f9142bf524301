#include "basic/suggestion.h"

#include "basic/macros.h"

struct suggestion suggestion_begin(const char *word, size_t length)
{
	/* At most half of its letters may be wrong. */
	return (struct suggestion){ word, length, NULL, 0, length / 2 + 1 };
}

/* Levenshtein distance. */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	size_t row[64];

	if (b_length >= ARRAY_SIZE(row))
		return b_length;
	for (size_t j = 0; j <= b_length; j++)
		row[j] = j;
	for (size_t i = 1; i <= a_length; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= b_length; j++) {
			size_t above = row[j];
			size_t change = diagonal + (a[i - 1] != b[j - 1]);

			row[j] = MIN(change, MIN(above, row[j - 1]) + 1);
			diagonal = above;
		}
	}
	return row[b_length];
}

/* A word may be misspelt, or the beginning of one that is longer, as "temp" of "temperature". */
void suggestion_try(struct suggestion *suggestion, const char *candidate, size_t length)
{
	size_t d = distance(suggestion->word, suggestion->length, candidate, length);

	if (length > suggestion->length)
		d = MIN(d, 1 + distance(suggestion->word, suggestion->length, candidate,
					suggestion->length));
	if (d >= suggestion->distance)
		return;
	suggestion->distance = d;
	suggestion->best = candidate;
	suggestion->best_length = length;
}
