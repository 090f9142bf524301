#include "proto/traced.h"

#include "basic/parse.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Older tracers do not write the role of a holder. */
enum { MEMORY_COLUMNS = 11, HOLDER_COLUMNS_OLD = 5, HOLDER_COLUMNS, MOST_COLUMNS = MEMORY_COLUMNS };

static const char *const memory_headings[MEMORY_COLUMNS] = {
	"PID",	   "Comm",   "DRAM", "L1",    "L1_SMALL", "TRACE",
	"BUFFERS", "SYSTEM", "CHIP", "START", "STATE",
};

static const char *const holder_headings[HOLDER_COLUMNS] = { "PID", "Comm",  "DEVICE",
							     "FD",  "START", "ROLE" };

/* A line, split into words that point into the copy. */
struct line {
	char text[512];
	const char *words[MOST_COLUMNS];
	size_t count;
};

/* Reads the next line, which must end in a newline. Advances *text. */
static int line_next(const char **text, struct line *ret)
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
		if (ret->count == MOST_COLUMNS)
			return -EBADMSG;
		ret->words[ret->count++] = word;
	}
	return 0;
}

/* Checks the two lines of headings. Returns the number of columns, `least` to `most`. */
static int headings_check(const char **text, const char *const *headings, size_t least, size_t most)
{
	struct line line;
	size_t count;

	if (line_next(text, &line) < 0)
		return -EBADMSG;
	count = line.count;
	if (count < least || count > most)
		return -EPROTONOSUPPORT;
	for (size_t i = 0; i < count; i++)
		if (strcmp(line.words[i], headings[i]) != 0)
			return -EPROTONOSUPPORT;
	if (line_next(text, &line) < 0 || line.count == 0)
		return -EBADMSG;
	for (size_t i = 0; i < line.count; i++)
		if (strspn(line.words[i], "-") != strlen(line.words[i]))
			return -EBADMSG;
	return (int)count;
}

static bool word_is_none(const char *word)
{
	return strcmp(word, "-") == 0;
}

static int parse_pid(const char *word, int32_t *ret)
{
	uint32_t pid;

	if (parse_u32(word, &pid) < 0 || pid == 0 || pid > INT32_MAX)
		return -EBADMSG;
	*ret = (int32_t)pid;
	return 0;
}

static int parse_comm(const char *word, char comm[static TRACED_COMM])
{
	if (strlen(word) >= TRACED_COMM)
		return -EBADMSG;
	snprintf(comm, TRACED_COMM, "%s", word_is_none(word) ? "" : word);
	return 0;
}

static int parse_state(const char *word, struct traced_memory *ret)
{
	static const char unreliable[] = "unreliable:";

	if (strcmp(word, "exact") == 0) {
		ret->state = TRACED_EXACT;
		return 0;
	}
	if (strcmp(word, "since-attach") == 0) {
		ret->state = TRACED_SINCE_ATTACH;
		return 0;
	}
	if (strncmp(word, unreliable, strlen(unreliable)) != 0)
		return -EBADMSG;
	ret->fault = trace_fault_find(word + strlen(unreliable));
	if (ret->fault == TRACE_FAULT_NONE)
		return -EBADMSG;
	ret->state = TRACED_UNRELIABLE;
	return 0;
}

static int parse_chip(const char *word, struct traced_memory *ret)
{
	ret->has_chip = !word_is_none(word);
	if (ret->has_chip && (parse_u32(word, &ret->chip) < 0 || ret->chip >= TRACED_CHIPS))
		return -EBADMSG;
	return 0;
}

/* The six numbers of a line, from the third column on. */
static int parse_amounts(const struct line *line, struct traced_memory *ret)
{
	uint64_t *const amounts[] = {
		&ret->bytes[POOL_DRAM],	 &ret->bytes[POOL_L1], &ret->bytes[POOL_L1_SMALL],
		&ret->bytes[POOL_TRACE], &ret->buffers,	       &ret->bytes[POOL_SYSTEM]
	};

	for (size_t i = 0; i < ARRAY_SIZE(amounts); i++)
		if (parse_u64(line->words[2 + i], amounts[i]) < 0)
			return -EBADMSG;
	return 0;
}

static int parse_memory(const struct line *line, struct traced_memory *ret)
{
	*ret = (struct traced_memory){ 0 };
	if (line->count != MEMORY_COLUMNS || parse_pid(line->words[0], &ret->pid) < 0 ||
	    parse_comm(line->words[1], ret->comm) < 0 || parse_amounts(line, ret) < 0 ||
	    parse_chip(line->words[8], ret) < 0 || parse_u64(line->words[9], &ret->start_ticks) < 0)
		return -EBADMSG;
	return parse_state(line->words[10], ret);
}

/*
 * A blank line and the sums, which prove that the text is complete. They are not compared with
 * the lines, since figures change while the kernel writes them.
 */
static int total_check(const char *text)
{
	struct traced_memory sums;
	struct line line;

	if (line_next(&text, &line) < 0 || line.count != MEMORY_COLUMNS ||
	    strcmp(line.words[0], "TOTAL") != 0 || !word_is_none(line.words[1]) ||
	    parse_amounts(&line, &sums) < 0)
		return -EBADMSG;
	for (size_t i = 8; i < MEMORY_COLUMNS; i++)
		if (!word_is_none(line.words[i]))
			return -EBADMSG;
	return *text ? -EBADMSG : 0;
}

/* Room for one more in an array that grows by doubling. NULL: no memory. */
static void *grow(void *list, size_t count, size_t size)
{
	if (count & (count - 1)) /* not a power of two, and not 0: there is room */
		return list;
	return reallocarray(list, count ? count * 2 : 1, size);
}

int traced_parse_allocations(const char *text, struct traced_memory **ret, size_t *ret_count)
{
	CLEANUP_FREE struct traced_memory *list = NULL;
	size_t count = 0;
	int r = headings_check(&text, memory_headings, MEMORY_COLUMNS, MEMORY_COLUMNS);

	if (r < 0)
		return r;
	while (*text != '\n') {
		struct traced_memory *grown = grow(list, count, sizeof(*list));
		struct line line;

		if (!grown)
			return -ENOMEM;
		list = grown;
		if (line_next(&text, &line) < 0 || parse_memory(&line, &list[count]) < 0)
			return -EBADMSG;
		count++;
	}
	r = total_check(text + 1);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(list);
	*ret_count = count;
	return 0;
}

static int parse_role(const char *word, enum traced_role *ret)
{
	if (strcmp(word, "monitor") == 0)
		*ret = TRACED_ROLE_MONITOR;
	else if (strcmp(word, "job") == 0)
		*ret = TRACED_ROLE_JOB;
	else if (!word_is_none(word))
		return -EBADMSG;
	return 0;
}

static int parse_holder(const struct line *line, size_t columns, struct traced_holder *ret)
{
	*ret = (struct traced_holder){ 0 };
	if (line->count != columns || parse_pid(line->words[0], &ret->pid) < 0 ||
	    parse_comm(line->words[1], ret->comm) < 0 ||
	    parse_u32(line->words[2], &ret->device) < 0 ||
	    parse_u32(line->words[3], &ret->fd) < 0 ||
	    parse_u64(line->words[4], &ret->start_ticks) < 0)
		return -EBADMSG;
	return columns == HOLDER_COLUMNS ? parse_role(line->words[5], &ret->role) : 0;
}

int traced_parse_holders(const char *text, struct traced_holder **ret, size_t *ret_count)
{
	CLEANUP_FREE struct traced_holder *list = NULL;
	size_t count = 0;
	int r = headings_check(&text, holder_headings, HOLDER_COLUMNS_OLD, HOLDER_COLUMNS);

	if (r < 0)
		return r;
	while (*text) {
		struct traced_holder *grown = grow(list, count, sizeof(*list));
		struct line line;

		if (!grown)
			return -ENOMEM;
		list = grown;
		if (line_next(&text, &line) < 0 || parse_holder(&line, (size_t)r, &list[count]) < 0)
			return -EBADMSG;
		count++;
	}
	*ret = TAKE_PTR(list);
	*ret_count = count;
	return 0;
}
