#include "metal/program_table.h"

#include "basic/clock.h"

#include <errno.h>
#include <string.h>

/* A name is chosen once a second; an older one is out of date. */
#define OPERATION_FRESH (5 * NS_PER_S / 2)

int program_table_check(const struct program_table *table, size_t length)
{
	uint64_t magic;

	if (length != PROGRAM_TABLE_SIZE)
		return -EBADMSG;
	magic = word_load(&table->magic);
	if (magic == 0)
		return -EAGAIN;
	if (magic != PROGRAM_TABLE_MAGIC)
		return -EBADMSG;
	if (table->version != PROGRAM_TABLE_VERSION)
		return -EPROTONOSUPPORT;
	return table->header_size != sizeof(*table) || table->chip_size != sizeof(*table->cells) ||
			       table->chip_count != PROGRAM_TABLE_CHIPS
		       ? -EBADMSG
		       : 0;
}

/*
 * The writer may have read its clock a moment later than the reader. False: the time is impossible.
 */
static bool take_time(uint64_t *ns, int64_t now)
{
	bool is_time = *ns <= (uint64_t)(now + NS_PER_S);

	*ns = MIN(*ns, (uint64_t)now);
	return is_time;
}

/* ---- launches ---- */

static void load_words(void *to, const void *from, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(uint64_t); i++)
		((uint64_t *)to)[i] = word_load((const uint64_t *)from + i);
}

static int read_launches(const struct program_table *table, int64_t now,
			 struct program_launch_state *ret)
{
	bool are_times;

	load_words(ret, &table->launches, sizeof(*ret));
	are_times = take_time(&ret->first_ns, now) && take_time(&ret->begun_ns, now) &&
		    take_time(&ret->newest_ns, now) && take_time(&ret->uncounted_ns, now) &&
		    take_time(&ret->slow_ns, now);
	for (size_t i = 0; i < PROGRAM_TIMES && are_times; i++)
		are_times = take_time(&ret->times[i], now);
	/* The writer increments `launched` before `counted`. */
	return are_times && ret->counted <= ret->launched ? 0 : -EBADMSG;
}

/*
 * False: the chip has no queue. The queue is read after `state`, and launches may have been made
 * meanwhile: its values are limited to those of `state`.
 */
static bool read_queue(const struct program_table_chip *cell,
		       const struct program_launch_state *state, struct program_queue_state *ret)
{
	if (!word_load(&cell->has_queue))
		return false;
	load_words(ret, &cell->queue, sizeof(*ret));
	ret->completed = MIN(ret->completed, state->launched);
	ret->idle_ns = MIN(ret->idle_ns, state->newest_ns);
	return true;
}

/* ---- records ---- */

static int read_stream(const struct program_table *table, const struct program_table_chip *cell,
		       int64_t now, uint64_t *ret_flags, struct program_stream *ret)
{
	uint64_t words[STREAM_WORDS], begun = word_load(&table->created);

	if (seqlock_read(&cell->seq, cell->stream[0], STREAM_WORDS, words) < 0)
		return -EAGAIN;
	if (!take_time(&begun, now))
		return -EBADMSG;
	for (size_t i = STREAM_FAULTY; i <= STREAM_MISFIT; i++)
		if (!take_time(&words[i], now))
			return -EBADMSG;
	*ret_flags = words[STREAM_FLAGS];
	program_stream_init(ret, (int64_t)begun);
	ret->n_records = words[STREAM_RECORDS];
	ret->n_advanced = words[STREAM_ADVANCED];
	ret->faulty_ns = (int64_t)words[STREAM_FAULTY];
	ret->last_end = (int64_t)MAX(words[STREAM_LAST_END], begun);
	ret->arrived_ns = (int64_t)words[STREAM_ARRIVED];
	ret->drift_ns = (int64_t)MIN(words[STREAM_DRIFT], (uint64_t)PROGRAM_UNKNOWN);
	ret->set_back_ns = (int64_t)MIN(words[STREAM_SET_BACK], (uint64_t)PROGRAM_UNKNOWN);
	ret->clock.adjusted_ns = (int64_t)words[STREAM_ADJUSTED];
	ret->clock.misfit_ns = (int64_t)words[STREAM_MISFIT];
	ret->clock.is_measured = *ret_flags & STREAM_IS_MEASURED;
	return 0;
}

/* ---- figures ---- */

static int judge_stream(struct program_stream *stream, const struct program_table_chip *cell,
			const struct program_launches *launches, int64_t now,
			struct program_figure *ret)
{
	int r = program_series_intervals(&cell->busy, now - PROGRAM_KEPT_NS, now, &stream->busy);

	if (r < 0)
		return r;
	program_figure_judge(ret, stream, launches, now);
	if (ret->is_known)
		ret->programs = program_series_sum(&cell->ended, ret->to - ret->window, ret->to);
	return 0;
}

/* begun: since when launches are counted; pending: for how long something has been unfinished. */
static void judge_queue(const struct program_table_chip *cell,
			const struct program_launches *launches, int64_t begun, uint64_t pending,
			int64_t now, struct program_figure *ret)
{
	int64_t window = MIN(PROGRAM_WINDOW_NS, now - begun);
	uint64_t busy;

	if (window <= 0)
		return;
	busy = program_series_sum(&cell->pending, now - window, now) +
	       MIN(pending, (uint64_t)window);
	program_figure_upper(ret, launches, (int64_t)MIN(busy, (uint64_t)window), window, now);
}

static bool is_profiled(const struct program_table *table, uint32_t chip)
{
	return word_load(&table->profiled) >> chip & 1;
}

/* Is its profiler on, and was nothing launched so far? */
static bool is_unused(const struct program_table *table, uint32_t chip,
		      const struct program_launch_state *state)
{
	return is_profiled(table, chip) && program_none_launched(state);
}

/* Why nothing is measured in the process. */
static enum dispatch_state process_state(const struct program_table *table)
{
	if (word_load(&table->launches.slow_ns))
		return DISPATCH_SLOW_DISPATCH;
	if (word_load(&table->flags) & PROGRAM_TABLE_IS_REFUSED)
		return DISPATCH_UNKNOWN_LAYOUT;
	if (!(word_load(&table->flags) & PROGRAM_TABLE_HAS_PROFILER))
		return DISPATCH_NO_PROFILER;
	/* A chip with records has a cell. */
	return word_load(&table->chips) ? DISPATCH_NOT_COVERED : DISPATCH_NO_RECORDS;
}

/* Why a chip that has a cell has neither records nor events. */
static enum dispatch_state chip_state(const struct program_table *table, uint32_t chip)
{
	enum dispatch_state state = process_state(table);

	return state == DISPATCH_NOT_COVERED && is_profiled(table, chip) ? DISPATCH_NO_RECORDS
									 : state;
}

static bool is_refused(uint64_t flags, size_t n_devices)
{
	return flags & STREAM_IS_REFUSED || (flags & STREAM_IS_AMBIGUOUS && n_devices > 1);
}

/* Reads the launches again after the records, which may be of later launches already. */
int program_table_judge(const struct program_table *table, uint32_t chip, size_t n_devices,
			int64_t now, struct program_figure *ret, struct program_intervals *ret_busy)
{
	const struct program_table_chip *cell = &table->cells[chip];
	struct program_launch_state state;
	struct program_queue_state queue;
	struct program_launches launches;
	struct program_stream stream;
	bool has_queue, has_stream;
	uint64_t flags = 0;
	int r;

	*ret = (struct program_figure){ .last = -1 };
	*ret_busy = (struct program_intervals){ 0 };
	r = read_launches(table, now, &state);
	if (r == 0)
		r = read_stream(table, cell, now, &flags, &stream);
	if (r < 0)
		return r;
	if (is_refused(flags, n_devices))
		return DISPATCH_UNKNOWN_LAYOUT;
	has_stream = flags & STREAM_IS_USED;
	has_queue = read_queue(cell, &state, &queue);
	program_launches_describe(&launches, &state, has_queue ? &queue : NULL,
				  has_stream ? &stream : NULL, 0);
	launches.are_followed = true;
	launches.count_after = word_load(&table->launches.counted);
	if (has_stream && flags & STREAM_IS_USABLE)
		r = judge_stream(&stream, cell, &launches, now, ret);
	else if (!has_stream && has_queue && !state.slow_ns)
		judge_queue(cell, &launches, stream.begun_ns,
			    program_pending_time(&state, &queue, (uint64_t)now), now, ret);
	else if (!has_stream && is_unused(table, chip, &state))
		program_figure_upper(ret, &launches, 0, PROGRAM_WINDOW_NS, now);
	if (r < 0) {
		program_stream_done(&stream);
		return r;
	}
	*ret_busy = stream.busy;
	if (ret->is_known && ret->bound != PROGRAM_UPPER)
		return DISPATCH_OK;
	if (!has_stream)
		return chip_state(table, chip);
	return flags & STREAM_IS_USABLE ? DISPATCH_NO_RECORDS : DISPATCH_NO_CLOCK;
}

enum dispatch_state program_table_state(const struct program_table *table)
{
	enum dispatch_state state = process_state(table);

	/* A chip on which something was launched has a cell. */
	return state == DISPATCH_NO_PROFILER ? DISPATCH_NO_RECORDS : state;
}

/* The process chooses the name: bytes that are not printable are replaced. */
static void clean(char *name)
{
	for (char *c = name; *c; c++)
		if (*c <= ' ' || *c > '~')
			*c = '_';
}

void program_table_operation(const struct program_table *table, int64_t now,
			     char ret[static PROGRAM_TABLE_OPERATION])
{
	uint64_t words[OPERATION_WORDS];

	ret[0] = '\0';
	if (seqlock_read(&table->operation_seq, table->operation[0], OPERATION_WORDS, words) < 0 ||
	    !take_time(&words[OPERATION_AT], now) ||
	    (uint64_t)now - words[OPERATION_AT] > OPERATION_FRESH)
		return;
	memcpy(ret, &words[OPERATION_NAME], PROGRAM_TABLE_OPERATION);
	ret[PROGRAM_TABLE_OPERATION - 1] = '\0';
	clean(ret);
}
