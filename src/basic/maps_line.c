#include "basic/maps_line.h"

#include "basic/parse.h"

#include <limits.h>
#include <string.h>

/* A number and the character after it. */
static bool number_before(const char **at, unsigned base, char end, uint64_t *ret)
{
	return parse_leading(at, base, ret) == 0 && *(*at)++ == end;
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
	    !number_before(&text, 16, ' ', &minor) || parse_leading(&text, 10, &inode) < 0 ||
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
