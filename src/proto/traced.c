#include "proto/traced.h"

#include "basic/parse.h"
#include "proto/traced_line.h"

#include <errno.h>
#include <string.h>

/* Older tracers do not write the role of a holder. */
enum { MEMORY_COLUMNS = 11, HOLDER_COLUMNS_OLD = 5, HOLDER_COLUMNS, DEATH_COLUMNS = 6 };

static const char *const memory_headings[MEMORY_COLUMNS] = {
	"PID",	   "Comm",   "DRAM", "L1",    "L1_SMALL", "TRACE",
	"BUFFERS", "SYSTEM", "CHIP", "START", "STATE",
};

static const char *const holder_headings[HOLDER_COLUMNS] = { "PID", "Comm",  "DEVICE",
							     "FD",  "START", "ROLE" };

static const char *const death_headings[DEATH_COLUMNS] = { "DEVICE", "SINCE",  "PID",
							   "Comm",   "SIGNAL", "ENDED" };

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
	ret->has_chip = !traced_is_none(word);
	if (ret->has_chip && (parse_u32(word, &ret->chip) < 0 || ret->chip >= TRACED_CHIPS))
		return -EBADMSG;
	return 0;
}

/* Parses the six numbers of a line, from the third column on. */
static int parse_amounts(const struct traced_line *line, struct traced_memory *ret)
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

static int parse_memory(const struct traced_line *line, size_t columns, void *item)
{
	struct traced_memory *ret = item;

	*ret = (struct traced_memory){ 0 };
	if (line->count != columns || traced_parse_pid(line->words[0], &ret->pid) < 0 ||
	    traced_parse_comm(line->words[1], ret->comm) < 0 || parse_amounts(line, ret) < 0 ||
	    parse_chip(line->words[8], ret) < 0 || parse_u64(line->words[9], &ret->start_ticks) < 0)
		return -EBADMSG;
	return parse_state(line->words[10], ret);
}

/*
 * Checks for a blank line and the sums, which prove that the text is complete. They are not
 * compared with the lines, since figures change while the kernel writes them.
 */
static int total_check(const char *text)
{
	struct traced_memory sums;
	struct traced_line line;

	if (*text++ != '\n' || traced_line_next(&text, &line) < 0 || line.count != MEMORY_COLUMNS ||
	    strcmp(line.words[0], "TOTAL") != 0 || !traced_is_none(line.words[1]) ||
	    parse_amounts(&line, &sums) < 0)
		return -EBADMSG;
	for (size_t i = 8; i < MEMORY_COLUMNS; i++)
		if (!traced_is_none(line.words[i]))
			return -EBADMSG;
	return *text ? -EBADMSG : 0;
}

int traced_parse_allocations(const char *text, struct traced_memory **ret, size_t *ret_count)
{
	static const struct traced_table table = { memory_headings, MEMORY_COLUMNS, MEMORY_COLUMNS,
						   sizeof(**ret),   parse_memory,   total_check };
	void *list;
	int r = traced_table_parse(&table, text, &list, ret_count);

	if (r == 0)
		*ret = list;
	return r;
}

static int parse_role(const char *word, enum traced_role *ret)
{
	if (strcmp(word, "monitor") == 0)
		*ret = TRACED_ROLE_MONITOR;
	else if (strcmp(word, "job") == 0)
		*ret = TRACED_ROLE_JOB;
	else if (!traced_is_none(word))
		return -EBADMSG;
	return 0;
}

static int parse_holder(const struct traced_line *line, size_t columns, void *item)
{
	struct traced_holder *ret = item;

	*ret = (struct traced_holder){ 0 };
	if (line->count != columns || traced_parse_pid(line->words[0], &ret->pid) < 0 ||
	    traced_parse_comm(line->words[1], ret->comm) < 0 ||
	    parse_u32(line->words[2], &ret->device) < 0 ||
	    parse_u32(line->words[3], &ret->fd) < 0 ||
	    parse_u64(line->words[4], &ret->start_ticks) < 0)
		return -EBADMSG;
	return columns == HOLDER_COLUMNS ? parse_role(line->words[5], &ret->role) : 0;
}

int traced_parse_holders(const char *text, struct traced_holder **ret, size_t *ret_count)
{
	static const struct traced_table table = { holder_headings, HOLDER_COLUMNS_OLD,
						   HOLDER_COLUMNS, sizeof(**ret), parse_holder };
	void *list;
	int r = traced_table_parse(&table, text, &list, ret_count);

	if (r == 0)
		*ret = list;
	return r;
}

static int parse_death(const struct traced_line *line, size_t columns, void *item)
{
	struct traced_death *ret = item;

	*ret = (struct traced_death){ 0 };
	if (line->count != columns || parse_u32(line->words[0], &ret->device) < 0 ||
	    parse_u64(line->words[1], &ret->since_ticks) < 0)
		return -EBADMSG;
	ret->has_death = !traced_is_none(line->words[2]);
	if (!ret->has_death) {
		for (size_t i = 3; i < columns; i++)
			if (!traced_is_none(line->words[i]))
				return -EBADMSG;
		return 0;
	}
	if (traced_parse_pid(line->words[2], &ret->pid) < 0 ||
	    traced_parse_comm(line->words[3], ret->comm) < 0 ||
	    parse_u32(line->words[4], &ret->signal) < 0 || ret->signal > 127 ||
	    parse_u64(line->words[5], &ret->ended_ticks) < 0)
		return -EBADMSG;
	return 0;
}

int traced_parse_deaths(const char *text, struct traced_death **ret, size_t *ret_count)
{
	static const struct traced_table table = { death_headings, DEATH_COLUMNS, DEATH_COLUMNS,
						   sizeof(**ret), parse_death };
	void *list;
	int r = traced_table_parse(&table, text, &list, ret_count);

	if (r == 0)
		*ret = list;
	return r;
}
