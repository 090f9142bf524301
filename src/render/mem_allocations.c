/* The lists of the largest and the oldest allocations in the memory monitor. */
#include "render/mem_parts.h"

#include "basic/clock.h"
#include "basic/macros.h"
#include "render/format.h"

enum {
	PID_WIDTH = 8,
	POOL_WIDTH = 8,
	AMOUNT_WIDTH = 16, /* "1234 x 128.00MB" */
	AGE_WIDTH = 10,
	LIST_LENGTH = 5, /* lines of each list */
};

/* Equal allocations of a process: same pool, same size. */
struct allocation_place {
	const struct allocation *allocation; /* the first of them in the order of the list */
	int32_t pid;
	size_t count;
};

/* The first LIST_LENGTH allocations in some order. */
struct allocation_ranking {
	bool (*before)(const struct allocation *a, const struct allocation *b);
	bool grouped; /* equal ones are one line; the order must be by size */
	struct allocation_place places[LIST_LENGTH];
	size_t count;
};

static bool is_larger(const struct allocation *a, const struct allocation *b)
{
	return a->size > b->size || (a->size == b->size && a->id < b->id);
}

static bool is_older(const struct allocation *a, const struct allocation *b)
{
	return a->time_ns < b->time_ns || (a->time_ns == b->time_ns && is_larger(a, b));
}

/* The line of equal allocations; NULL: none. */
static struct allocation_place *find_equal(struct allocation_ranking *ranking,
					   const struct allocation *allocation, int32_t pid)
{
	for (size_t i = 0; ranking->grouped && i < ranking->count; i++) {
		struct allocation_place *place = &ranking->places[i];

		if (place->pid == pid && place->allocation->size == allocation->size &&
		    place->allocation->pool == allocation->pool)
			return place;
	}
	return NULL;
}

static void rank(struct allocation_ranking *ranking, const struct allocation *allocation,
		 int32_t pid)
{
	struct allocation_place *equal = find_equal(ranking, allocation, pid);
	size_t at = ranking->count;

	if (equal) {
		equal->count++;
		/* The age of the line is that of its oldest allocation. */
		if (allocation->time_ns && (!equal->allocation->time_ns ||
					    allocation->time_ns < equal->allocation->time_ns))
			equal->allocation = allocation;
		return;
	}
	while (at > 0 && ranking->before(allocation, ranking->places[at - 1].allocation))
		at--;
	if (at == LIST_LENGTH)
		return;
	ranking->count = MIN(ranking->count + 1, LIST_LENGTH);
	for (size_t i = ranking->count - 1; i > at; i--)
		ranking->places[i] = ranking->places[i - 1];
	ranking->places[at] = (struct allocation_place){ allocation, pid, 1 };
}

static void rank_list(struct allocation_ranking *largest, struct allocation_ranking *oldest,
		      const struct allocation_list *list, int32_t pid)
{
	for (size_t i = 0; i < list->count; i++) {
		rank(largest, &list->items[i], pid);
		if (list->items[i].time_ns)
			rank(oldest, &list->items[i], pid);
	}
}

static void put_place(struct text_line *line, const struct allocation_ranking *ranking,
		      size_t place, size_t column, int64_t now_ns)
{
	const struct allocation *allocation;
	CLEANUP_BUF struct buf size = { 0 }, age = { 0 };

	if (place >= ranking->count)
		return;
	allocation = ranking->places[place].allocation;
	if (ranking->places[place].count > 1)
		buf_printf(&size, "%zu x ", ranking->places[place].count);
	format_bytes_fine(&size, allocation->size);
	if (allocation->time_ns)
		format_duration(&age, (double)(now_ns - allocation->time_ns) / NS_PER_S);
	text_line_to(line, column);
	text_line_printf(line, STYLE_PLAIN, "%-*d%-*s", PID_WIDTH, ranking->places[place].pid,
			 POOL_WIDTH, pool_name(allocation->pool));
	text_line_cell_right(line, AMOUNT_WIDTH, STYLE_PLAIN, buf_text(&size));
	text_line_cell_right(line, AGE_WIDTH, STYLE_PLAIN,
			     allocation->time_ns ? buf_text(&age) : "N/A");
}

static void put_headings(struct text_line *line, size_t column)
{
	text_line_to(line, column);
	text_line_printf(line, STYLE_DIM, "%-*s%-*s%*s%*s", PID_WIDTH, "PID", POOL_WIDTH, "Pool",
			 AMOUNT_WIDTH, "Size", AGE_WIDTH, "Age");
}

/* Says how many processes do not list their allocations, and why. */
static void put_missing(struct text_line *line, enum reason why, size_t known, size_t tracked,
			bool cut)
{
	if (tracked && known == 0)
		text_line_printf(line, STYLE_DIM, "  Single allocations: N/A (%s)",
				 reason_text(why));
	else if (known < tracked)
		text_line_printf(line, STYLE_DIM,
				 "  Single allocations of %zu of %zu processes (%s)", known,
				 tracked, reason_text(why));
	else if (cut)
		text_line_put(line, STYLE_DIM, "  Not every allocation is listed");
	if (line->at)
		text_line_end(line);
}

static void put_rankings(struct text_line *line, const struct allocation_ranking *largest,
			 const struct allocation_ranking *oldest, int64_t now_ns)
{
	enum { RIGHT = 46 };
	bool beside = line->options->columns >= 2 * RIGHT;

	if (!largest->count)
		return;
	text_line_put(line, STYLE_BOLD, "  Largest allocations");
	if (beside && oldest->count) {
		text_line_to(line, RIGHT);
		text_line_put(line, STYLE_BOLD, "Oldest allocations");
	}
	text_line_end(line);
	put_headings(line, 2);
	if (beside && oldest->count)
		put_headings(line, RIGHT);
	text_line_end(line);
	for (size_t i = 0; i < largest->count || (beside && i < oldest->count); i++) {
		put_place(line, largest, i, 2, now_ns);
		if (beside)
			put_place(line, oldest, i, RIGHT, now_ns);
		text_line_end(line);
	}
	if (beside || !oldest->count)
		return;
	text_line_put(line, STYLE_BOLD, "  Oldest allocations");
	text_line_end(line);
	put_headings(line, 2);
	text_line_end(line);
	for (size_t i = 0; i < oldest->count; i++) {
		put_place(line, oldest, i, 2, now_ns);
		text_line_end(line);
	}
}

void mem_put_allocations(struct text_line *line, const struct mem_view *view, size_t device)
{
	struct allocation_ranking largest = { .before = is_larger, .grouped = true },
				  oldest = { .before = is_older };
	const struct snapshot *snapshot = view->snapshot;
	size_t known = 0, tracked = 0;
	enum reason why = KNOWN;
	bool cut = false;

	for (size_t i = 0; i < snapshot->n_processes; i++) {
		const struct usage *usage = process_find_usage(&snapshot->processes[i], device);

		if (!usage || usage->why[USE_DRAM] != KNOWN)
			continue;
		tracked++;
		if (usage->list.why != KNOWN) {
			why = usage->list.why;
			continue;
		}
		known++;
		cut |= usage->list.cut;
		rank_list(&largest, &oldest, &usage->list, snapshot->processes[i].pid);
	}
	if (!tracked || (known == tracked && !largest.count && !cut))
		return;
	text_line_end(line);
	put_rankings(line, &largest, &oldest, snapshot->taken_ns);
	put_missing(line, why, known, tracked, cut);
}
