#include "proto/traced_line.h"

#include "basic/parse.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int traced_line_next(const char **text, struct traced_line *ret)
{
	size_t length = strcspn(*text, "\n");
	char *rest = ret->text, *word;

	if ((*text)[length] != '\n' || length >= sizeof(ret->text))
		return -EBADMSG;
	memcpy(ret->text, *text, length);
	ret->text[length] = '\0';
	*text += length + 1;
	ret->count = 0;
	while ((word = strsep(&rest, " "))) {
		if (!*word)
			continue;
		if (ret->count == TRACED_COLUMNS_MAX)
			return -EBADMSG;
		ret->words[ret->count++] = word;
	}
	return 0;
}

/*
 * Checks the two heading lines. Returns the number of columns, `least` to `most`. -EBADMSG;
 * -EPROTONOSUPPORT: other columns.
 */
static int headings_check(const char **text, const char *const *headings, size_t least, size_t most)
{
	struct traced_line line;
	size_t count;

	if (traced_line_next(text, &line) < 0)
		return -EBADMSG;
	count = line.count;
	if (count < least || count > most)
		return -EPROTONOSUPPORT;
	for (size_t i = 0; i < count; i++)
		if (strcmp(line.words[i], headings[i]) != 0)
			return -EPROTONOSUPPORT;
	if (traced_line_next(text, &line) < 0 || line.count == 0)
		return -EBADMSG;
	for (size_t i = 0; i < line.count; i++)
		if (strspn(line.words[i], "-") != strlen(line.words[i]))
			return -EBADMSG;
	return (int)count;
}

bool traced_is_none(const char *word)
{
	return strcmp(word, "-") == 0;
}

int traced_parse_pid(const char *word, int32_t *ret)
{
	uint32_t pid;

	if (parse_u32(word, &pid) < 0 || pid == 0 || pid > INT32_MAX)
		return -EBADMSG;
	*ret = (int32_t)pid;
	return 0;
}

int traced_parse_comm(const char *word, char comm[static TRACED_COMM])
{
	if (strlen(word) >= TRACED_COMM)
		return -EBADMSG;
	snprintf(comm, TRACED_COMM, "%s", traced_is_none(word) ? "" : word);
	return 0;
}

/* Makes room for one more item, by doubling. NULL: out of memory. */
static void *grow(void *list, size_t count, size_t size)
{
	if (count & (count - 1)) /* not a power of two, and not 0: there is room */
		return list;
	return reallocarray(list, count ? count * 2 : 1, size);
}

int traced_table_parse(const struct traced_table *table, const char *text, void **ret,
		       size_t *ret_count)
{
	CLEANUP_FREE char *list = NULL;
	size_t count = 0;
	int columns = headings_check(&text, table->headings, table->least, table->most);

	if (columns < 0)
		return columns;
	for (; *text && *text != '\n'; count++) {
		char *grown = grow(list, count, table->size);
		struct traced_line line;

		if (!grown)
			return -ENOMEM;
		list = grown;
		if (traced_line_next(&text, &line) < 0 ||
		    table->parse(&line, (size_t)columns, list + count * table->size) < 0)
			return -EBADMSG;
	}
	if (table->check_rest ? table->check_rest(text) < 0 : *text != '\0')
		return -EBADMSG;
	*ret = TAKE_PTR(list);
	*ret_count = count;
	return 0;
}
