#include "proto/dispatch.h"

#include "basic/parse.h"
#include "proto/traced_line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum column {
	PID,
	COMM,
	CHIP,
	START,
	DEVICE,
	BUSY,
	WINDOW,
	BOUND,
	PROGRAMS,
	RUNNING,
	LAST,
	UPDATED,
	STATE,
	OPERATION,
	COLUMNS,
};

_Static_assert((int)COLUMNS <= (int)TRACED_COLUMNS_MAX, "a line holds all columns");

static const char *const headings[COLUMNS] = {
	"PID",	 "Comm",     "CHIP",	"START", "DEVICE",  "BUSY",  "WINDOW",
	"BOUND", "PROGRAMS", "RUNNING", "LAST",	 "UPDATED", "STATE", "OPERATION",
};

#define STATE_WORD(name, word, ...) [DISPATCH_##name] = word,

/* clang-format off */
static const char *const states[DISPATCH_STATE_N] = {
	[DISPATCH_OK] = "ok",
	DISPATCH_STATES(STATE_WORD)
};
/* clang-format on */

/* The index of a word. -EBADMSG: it is not in the list. */
static int find_word(const char *const *words, unsigned count, const char *word)
{
	for (unsigned i = 0; i < count; i++)
		if (strcmp(words[i], word) == 0)
			return (int)i;
	return -EBADMSG;
}

static int parse_optional_u32(const char *word, bool *ret_has, uint32_t *ret)
{
	*ret_has = !traced_is_none(word);
	return *ret_has && parse_u32(word, ret) < 0 ? -EBADMSG : 0;
}

static int parse_optional_u64(const char *word, bool *ret_has, uint64_t *ret)
{
	*ret_has = !traced_is_none(word);
	return *ret_has && parse_u64(word, ret) < 0 ? -EBADMSG : 0;
}

/* The identity: a process on a chip, a process, or a device. */
static int parse_subject(const struct traced_line *line, struct dispatch_line *ret)
{
	char comm[TRACED_COMM];

	if (traced_parse_comm(line->words[COMM], comm) < 0 ||
	    parse_optional_u32(line->words[CHIP], &ret->has_chip, &ret->chip) < 0 ||
	    parse_u64(line->words[START], &ret->start_ticks) < 0 ||
	    parse_optional_u32(line->words[DEVICE], &ret->has_device, &ret->device) < 0)
		return -EBADMSG;
	if (strcmp(line->words[PID], "0") != 0)
		return traced_parse_pid(line->words[PID], &ret->pid);
	return ret->has_device && !ret->has_chip && ret->start_ticks == 0 ? 0 : -EBADMSG;
}

/* Four columns that are all present or all absent. */
static int parse_figure(const struct traced_line *line, struct dispatch_line *ret)
{
	bool has_busy, has_window, has_programs;
	int bound;

	if (parse_optional_u64(line->words[BUSY], &has_busy, &ret->busy) < 0 ||
	    parse_optional_u64(line->words[WINDOW], &has_window, &ret->window) < 0 ||
	    parse_optional_u64(line->words[PROGRAMS], &has_programs, &ret->programs) < 0)
		return -EBADMSG;
	ret->has_figure = !traced_is_none(line->words[BOUND]);
	if (has_busy != ret->has_figure || has_window != ret->has_figure ||
	    has_programs != ret->has_figure)
		return -EBADMSG;
	if (!ret->has_figure)
		return 0;
	bound = find_word(utilization_bounds, BOUND_N, line->words[BOUND]);
	ret->bound = (enum utilization_bound)MAX(bound, 0);
	return bound < 0 || ret->window == 0 ? -EBADMSG : 0;
}

static int parse_operation(const char *word, struct dispatch_line *ret)
{
	if (strlen(word) >= sizeof(ret->operation))
		return -EBADMSG;
	snprintf(ret->operation, sizeof(ret->operation), "%s", traced_is_none(word) ? "" : word);
	return 0;
}

static int parse_line(const struct traced_line *line, size_t columns, void *item)
{
	struct dispatch_line *ret = item;
	int state;

	*ret = (struct dispatch_line){ 0 };
	if (line->count != columns || parse_subject(line, ret) < 0 || parse_figure(line, ret) < 0 ||
	    parse_optional_u64(line->words[RUNNING], &ret->has_running, &ret->running) < 0 ||
	    parse_optional_u64(line->words[LAST], &ret->has_last, &ret->last) < 0 ||
	    parse_u64(line->words[UPDATED], &ret->updated) < 0 ||
	    parse_operation(line->words[OPERATION], ret) < 0)
		return -EBADMSG;
	/* A figure is of one chip or of one device. */
	if (ret->has_figure && ret->pid && !ret->has_chip)
		return -EBADMSG;
	state = find_word(states, DISPATCH_STATE_N, line->words[STATE]);
	ret->state = (enum dispatch_state)MAX(state, 0);
	return state < 0 ? -EBADMSG : 0;
}

int dispatch_parse(const char *text, struct dispatch_line **ret, size_t *ret_count)
{
	static const struct traced_table table = { headings, COLUMNS, COLUMNS, sizeof(**ret),
						   parse_line };
	void *list;
	int r = traced_table_parse(&table, text, &list, ret_count);

	if (r == 0)
		*ret = list;
	return r;
}
