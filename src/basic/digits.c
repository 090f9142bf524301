#include "basic/digits.h"

#include <stddef.h>
#include <string.h>

char *digits_put(char *at, uint64_t number)
{
	char digits[DIGITS_SIZE], *end = digits + sizeof(digits), *first = end;
	size_t length;

	do
		*--first = (char)('0' + number % 10);
	while (number /= 10);
	length = (size_t)(end - first);
	memcpy(at, first, length);
	at[length] = '\0';
	return at + length;
}
