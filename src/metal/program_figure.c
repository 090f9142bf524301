#include "metal/program_figure.h"

#include "basic/clock.h"
#include "basic/macros.h"

/* An exact figure is wrong by less than this part of the window. */
#define ERROR_MAX 0.01

/* Shorter idle times at the end are not part of the window. */
#define IDLE_MIN (100 * NS_PER_MS)

/* If the windows of the processes have less than this in common, no union is computed. */
#define COMMON_MIN (PROGRAM_WINDOW_NS / 2)

/* How many launches are not known to have finished: by records, or by events that the host saw. */
static uint64_t count_unfinished(const struct program_launch_state *state,
				 const struct program_queue_state *queue, uint64_t seen)
{
	uint64_t completed = queue ? queue->completed : 0;
	uint64_t by_events = state->launched > completed ? state->launched - completed : 0;

	if (!by_events || !seen || state->counted != state->launched || seen > state->counted)
		return by_events;
	return MIN(by_events, state->counted - seen);
}

void program_launches_describe(struct program_launches *ret,
			       const struct program_launch_state *state,
			       const struct program_queue_state *queue,
			       const struct program_stream *stream, uint64_t missed)
{
	uint64_t seen = (stream ? program_stream_seen(stream) : 0) + missed;
	uint64_t unfinished = count_unfinished(state, queue, seen), oldest;

	*ret = (struct program_launches){
		.are_pending = unfinished > 0,
		.count = state->counted - missed,
		.count_after = state->counted - missed,
		.uncounted_ns = (int64_t)state->uncounted_ns,
		.newest_ns = (int64_t)state->newest_ns,
	};
	if (!unfinished)
		return;
	oldest = state->launched - MIN(unfinished, (uint64_t)PROGRAM_TIMES);
	ret->oldest_ns = (int64_t)state->times[oldest % PROGRAM_TIMES];
}

/* Are there launched programs without a record? */
static bool is_outstanding(const struct program_stream *stream,
			   const struct program_launches *launches)
{
	return launches->are_followed && launches->count > program_stream_seen(stream);
}

/* Does the stream have a record of each program since `from`, and is its clock right? */
static bool is_complete(const struct program_stream *stream,
			const struct program_launches *launches, int64_t from)
{
	if (!launches->are_followed || launches->uncounted_ns >= MAX(from, 1) ||
	    launches->count_after < program_stream_seen(stream))
		return false;
	if (launches->count == 0)
		return true;
	if (is_outstanding(stream, launches) && !launches->are_pending)
		return false; /* all programs have finished, so records are missing */
	return program_stream_is_complete(stream, from);
}

/*
 * By how much the busy time in the window can be wrong because the rate of the chip's clock has
 * changed, which is noticed only when the clock has drifted by `drift`. A window that ends with
 * idle time has its end by the host's clock: then all of the error is one of the busy time.
 */
static int64_t clock_error(const struct program_stream *stream, const struct program_figure *figure,
			   int64_t drift)
{
	int64_t from = figure->to - figure->window, busy = figure->busy;
	double window = (double)figure->window;

	if (figure->to > MAX(stream->last_end, stream->begun_ns))
		return busy == 0 && stream->arrived_ns <= from
			       ? 0
			       : MIN(drift, (int64_t)(PROGRAM_RATE_CHANGE * (double)busy));
	if ((double)drift <= ERROR_MAX * window)
		return (int64_t)((double)drift * (double)MAX(busy, figure->window - busy) / window);
	return program_intervals_error(&stream->busy, from, figure->to, busy, drift);
}

static void set_lower(struct program_figure *figure, int64_t error)
{
	figure->bound = PROGRAM_LOWER;
	figure->busy = MAX(figure->busy - error, 0);
}

/*
 * A clock that was adjusted may have had a wrong rate: then the times of programs are too long, in
 * all by up to as much as it was set back.
 */
static void set_bound_after_change(struct program_figure *figure,
				   const struct program_stream *stream,
				   const struct program_launches *launches)
{
	int64_t error = launches->are_followed ? clock_error(stream, figure, PROGRAM_UNKNOWN) : 0;

	set_lower(figure, stream->set_back_ns + error);
}

/*
 * Exact, if nothing is missing and the clock was right; else a lower bound. If nothing limits the
 * drift, since launches are not followed, the clock is taken as right unless it has changed.
 */
static void set_bound(struct program_figure *figure, const struct program_stream *stream,
		      const struct program_launches *launches, bool is_whole)
{
	int64_t error;

	if (stream->clock.adjusted_ns >= figure->to - figure->window) {
		set_bound_after_change(figure, stream, launches);
		return;
	}
	if (!launches->are_followed || !stream->n_records) {
		figure->bound = is_whole ? PROGRAM_EXACT : PROGRAM_LOWER;
		return;
	}
	error = clock_error(stream, figure, stream->drift_ns);
	if (!is_whole || (double)error > ERROR_MAX * (double)figure->window)
		set_lower(figure, stream->drift_ns < PROGRAM_UNKNOWN ? error : 0);
}

static int64_t running_time(const struct program_stream *stream,
			    const struct program_launches *launches, int64_t now)
{
	if (!launches->are_pending || !launches->oldest_ns || launches->oldest_ns > now ||
	    (stream && !launches->uncounted_ns && !is_outstanding(stream, launches)))
		return 0;
	return now - launches->oldest_ns;
}

/*
 * The window ends now if the chip has been idle for some time; else where the last known program
 * did, which does not depend on when its record arrived.
 */
static int64_t window_end(const struct program_stream *stream,
			  const struct program_launches *launches, int64_t now)
{
	int64_t known = MIN(stream->last_end, now);

	if (!stream->n_records)
		return now;
	if (is_outstanding(stream, launches))
		return MAX(known, now - PROGRAM_KEPT_NS + PROGRAM_WINDOW_NS);
	return now - known <= IDLE_MIN ? known : now;
}

void program_figure_judge(struct program_figure *ret, const struct program_stream *stream,
			  const struct program_launches *launches, int64_t now)
{
	const struct program_intervals *list = &stream->busy;
	int64_t known = MIN(stream->last_end, now), to = window_end(stream, launches, now), from;
	bool is_whole;

	*ret = (struct program_figure){ .bound = PROGRAM_EXACT, .last = -1 };
	from = MAX(to - PROGRAM_WINDOW_NS, stream->begun_ns);
	ret->running = running_time(stream, launches, now);
	if (stream->n_records)
		ret->last = now - known;
	is_whole = (to == now || to == known) && is_complete(stream, launches, from);
	/* No records do not mean that nothing runs: programs without numbers have none. */
	if (to <= from || (!stream->n_records && !is_whole))
		return;
	ret->is_known = true;
	ret->to = to;
	ret->window = to - from;
	ret->busy = program_intervals_union(&list, 1, from, to);
	ret->programs = program_stream_count(stream, from, to);
	set_bound(ret, stream, launches, is_whole);
}

void program_figure_upper(struct program_figure *ret, const struct program_launches *launches,
			  int64_t busy, int64_t window, int64_t now)
{
	bool is_idle = busy == 0 && launches->uncounted_ns < now - window;

	*ret = (struct program_figure){
		.is_known = (launches->are_followed || launches->are_settled) &&
			    window >= PROGRAM_WINDOW_NS / 5,
		.busy = MIN(busy, window),
		.window = window,
		.to = now,
		.bound = is_idle ? PROGRAM_EXACT : PROGRAM_UPPER,
		.running = running_time(NULL, launches, now),
		.last = -1,
	};
}

/* The position of the newest sample that is at least a second old, else of the oldest one. */
static unsigned find_sample(const struct program_upper *upper, int64_t now)
{
	unsigned oldest = upper->count - MIN(upper->count, (unsigned)PROGRAM_SAMPLES);
	unsigned at = upper->count - 1;

	while (at > oldest && now - upper->samples[at % PROGRAM_SAMPLES].ns < PROGRAM_WINDOW_NS)
		at--;
	return at % PROGRAM_SAMPLES;
}

/*
 * The queue's time may include some after `now`. At the end of a window that makes the bound a
 * little higher. At its start it would make it too low, so it is subtracted.
 */
void program_upper_add(struct program_upper *upper, const struct program_launch_state *state,
		       const struct program_queue_state *queue,
		       const struct program_launches *launches, int64_t now,
		       struct program_figure *ret)
{
	uint64_t busy = queue->busy_ns + program_pending_time(state, queue, (uint64_t)now);
	int64_t after = MAX((int64_t)queue->idle_ns - now, 0), newest = INT64_MIN / 2;
	unsigned at;

	if (upper->count) {
		at = find_sample(upper, now);
		newest = upper->samples[(upper->count - 1) % PROGRAM_SAMPLES].ns;
		program_figure_upper(ret, launches,
				     MAX((int64_t)(busy - upper->samples[at].busy_ns), 0),
				     now - upper->samples[at].ns, now);
	}
	if (now - newest < PROGRAM_WINDOW_NS / (PROGRAM_SAMPLES - 1))
		return;
	at = upper->count++ % PROGRAM_SAMPLES;
	upper->samples[at].ns = now;
	upper->samples[at].busy_ns = busy - MIN(busy, (uint64_t)after);
}

/* The number of figures of each kind. */
struct figure_counts {
	size_t bound[PROGRAM_UPPER + 1], known;
};

static void join_rest(struct program_figure *ret, const struct program_user *users, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct program_figure *one = &users[i].figure;

		ret->running = MAX(ret->running, one->running);
		if (one->last >= 0 && (ret->last < 0 || one->last < ret->last))
			ret->last = one->last;
	}
}

/* The windows of the processes may differ in length, so the programs per second are added. */
static uint64_t join_programs(const struct program_user *users, size_t count, int64_t window)
{
	double rate = 0;

	for (size_t i = 0; i < count; i++)
		if (users[i].figure.is_known)
			rate += (double)users[i].figure.programs / (double)users[i].figure.window;
	return (uint64_t)(rate * (double)window + 0.5);
}

/* Programs of different processes may run at the same time, so the sum is an upper bound. */
static void join_sum(struct program_figure *ret, const struct program_user *users, size_t count)
{
	double share = 0;

	for (size_t i = 0; i < count; i++)
		share += (double)users[i].figure.busy / (double)users[i].figure.window;
	ret->window = PROGRAM_WINDOW_NS;
	ret->busy = (int64_t)(MIN(share, 1.0) * (double)ret->window);
	ret->to = users[0].figure.to;
}

/* The times of all processes, and the window that is common to their figures. */
struct common_times {
	const struct program_intervals *lists[PROGRAM_UNION_MAX];
	size_t count;
	int64_t from, to;
	bool are_coarse;
};

/* The common window ends where the first of all windows ends: later, not all figures are known. */
static void find_common(struct common_times *ret, const struct program_user *users, size_t count)
{
	*ret = (struct common_times){ .from = INT64_MIN, .to = INT64_MAX };
	for (size_t i = 0; i < count && ret->count < PROGRAM_UNION_MAX; i++) {
		const struct program_figure *one = &users[i].figure;

		if (!one->is_known || !users[i].busy)
			continue;
		ret->lists[ret->count++] = users[i].busy;
		ret->to = MIN(ret->to, one->to);
		ret->from = MAX(ret->from, one->to - one->window);
		ret->are_coarse |= users[i].is_coarse;
	}
}

/* The union of coarse times, which are known for whole steps only. */
static void join_coarse(struct program_figure *ret, const struct common_times *times)
{
	int64_t from = (times->from + PROGRAM_STEP_NS - 1) & -(int64_t)PROGRAM_STEP_NS;
	int64_t to = times->to & -(int64_t)PROGRAM_STEP_NS;
	struct program_range range =
		program_intervals_range(times->lists, times->count, from, to, PROGRAM_STEP_NS);

	ret->to = to;
	ret->window = to - from;
	ret->busy = range.least;
	if (ret->bound != PROGRAM_EXACT)
		return;
	if (range.most - range.least <= ret->window / 100)
		ret->busy += (range.most - range.least) / 2;
	else
		ret->bound = PROGRAM_LOWER;
}

/* The largest share of one process, which is a lower bound of the union. */
static void join_largest(struct program_figure *ret, const struct program_user *users, size_t count)
{
	double most = -1;

	for (size_t i = 0; i < count; i++) {
		const struct program_figure *one = &users[i].figure;
		double share = (double)one->busy / (double)MAX(one->window, 1);

		if (!one->is_known || one->bound == PROGRAM_UPPER || share <= most)
			continue;
		most = share;
		ret->busy = one->busy;
		ret->window = one->window;
		ret->to = one->to;
	}
	ret->bound = PROGRAM_LOWER;
}

static void join_union(struct program_figure *ret, const struct program_user *users, size_t count)
{
	struct common_times times;

	find_common(&times, users, count);
	if (times.count == 0) {
		if (ret->bound == PROGRAM_EXACT)
			join_sum(ret, users, count); /* nothing was launched */
		return;
	}
	if (times.to - times.from < COMMON_MIN) {
		join_largest(ret, users, count);
		return;
	}
	if (times.are_coarse) {
		join_coarse(ret, &times);
		return;
	}
	ret->to = times.to;
	ret->window = times.to - times.from;
	ret->busy = program_intervals_union(times.lists, times.count, times.from, times.to);
}

static void count_figures(struct figure_counts *ret, const struct program_user *users, size_t count)
{
	*ret = (struct figure_counts){ 0 };
	for (size_t i = 0; i < count; i++) {
		ret->known += users[i].figure.is_known;
		if (users[i].figure.is_known)
			ret->bound[users[i].figure.bound]++;
	}
}

void program_figure_join(struct program_figure *ret, const struct program_user *users, size_t count,
			 bool has_others)
{
	struct figure_counts counts;
	bool is_complete;

	*ret = (struct program_figure){ .last = -1 };
	join_rest(ret, users, count);
	count_figures(&counts, users, count);
	is_complete = !has_others && counts.known == count && count <= PROGRAM_UNION_MAX;
	if (is_complete && counts.bound[PROGRAM_UPPER] && !counts.bound[PROGRAM_LOWER]) {
		ret->bound = PROGRAM_UPPER;
		join_sum(ret, users, count);
	} else if (counts.bound[PROGRAM_EXACT] + counts.bound[PROGRAM_LOWER]) {
		ret->bound = is_complete && counts.bound[PROGRAM_EXACT] == count ? PROGRAM_EXACT
										 : PROGRAM_LOWER;
		join_union(ret, users, count);
	}
	ret->programs = join_programs(users, count, ret->window);
	ret->is_known = ret->window > 0;
}
