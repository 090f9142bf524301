#include "basic/maps_line.h"

#include <limits.h>
#include <string.h>

static unsigned digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	return 16;
}

/* Reads digits. False: there are none, or too many. */
static bool number(const char **at, unsigned base, uint64_t *ret)
{
	const char *p = *at;
	uint64_t value = 0;

	for (; digit_of(*p) < base; p++)
		if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit_of(*p), &value))
			return false;
	if (p == *at)
		return false;
	*at = p;
	*ret = value;
	return true;
}

/* The same, and the character after them. */
static bool number_before(const char **at, unsigned base, char end, uint64_t *ret)
{
	return number(at, base, ret) && *(*at)++ == end;
}

bool maps_line_parse(const char *text, struct maps_line *ret)
{
	uint64_t start, end, offset, major, minor, inode;
	bool is_executable;

	if (!number_before(&text, 16, '-', &start) || !number_before(&text, 16, ' ', &end) ||
	    strspn(text, "rwxps-") != 4)
		return false;
	is_executable = text[2] == 'x';
	text += 4;
	text += *text == ' ';
	if (!number_before(&text, 16, ' ', &offset) || !number_before(&text, 16, ':', &major) ||
	    !number_before(&text, 16, ' ', &minor) || !number(&text, 10, &inode) ||
	    !strchr(" \n", *text) || major > UINT_MAX || minor > UINT_MAX)
		return false;
	*ret = (struct maps_line){
		.start = start,
		.end = end,
		.inode = inode,
		.major = (unsigned)major,
		.minor = (unsigned)minor,
		.is_executable = is_executable,
		.name = text + strspn(text, " "),
	};
	return true;
}
