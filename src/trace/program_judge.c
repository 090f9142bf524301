#include "trace/program_judge.h"

/*
 * A ring that had wrapped when it was found lacks the records of the first launches. Their number
 * is known as soon as all launches have finished.
 */
static void count_missed(const struct program_process *process, struct program_chip *chip)
{
	const struct program_launch_state *from = &process->programs.launches;
	uint64_t seen = chip->has_stream ? program_stream_seen(&chip->stream) : 0;

	if (!chip->is_late || chip->missed || !seen || !chip->has_queue ||
	    from->launched > chip->queue.state.completed ||
	    process->counted_after != from->counted || from->counted < seen)
		return;
	chip->missed = from->counted - seen;
}

/* Are no programs running on the chip that were launched before launches were followed? */
static bool is_settled(const struct program_chip *chip)
{
	const struct trace_queue *queue = &chip->queue;

	return chip->has_queue && queue->count && queue->count < 32 &&
	       queue->settled == (1U << queue->count) - 1;
}

static void describe_launches(const struct program_process *process,
			      const struct program_chip *chip, struct program_launches *ret)
{
	program_launches_describe(ret, &process->programs.launches,
				  chip->has_queue ? &chip->queue.state : NULL,
				  chip->has_stream ? &chip->stream : NULL, chip->missed);
	ret->are_followed = process->programs.from_start;
	ret->are_settled = is_settled(chip);
	ret->count_after = process->counted_after - chip->missed;
	ret->uncounted_ns = MAX(ret->uncounted_ns, (int64_t)process->programs.dropped_ns);
}

/*
 * No records and no events so far: the chip is idle if its profiler is on and nothing was launched.
 */
static void judge_unused(const struct program_process *process, struct program_chip *chip,
			 const struct program_launches *launches)
{
	int64_t age = process->asked_ns - (int64_t)process->programs.begun_ns;

	chip->figure = (struct program_figure){ .last = -1 };
	chip->state = DISPATCH_NO_RECORDS;
	if (process->programs.profiled >> chip->chip & 1 &&
	    program_none_launched(&process->programs.launches))
		program_figure_upper(&chip->figure, launches, 0, MIN(age, PROGRAM_WINDOW_NS),
				     process->asked_ns);
}

/* Without records: an upper bound, as soon as nothing can run whose launch was not followed. */
static void judge_queue(const struct program_process *process, struct program_chip *chip,
			const struct program_launches *launches)
{
	if (launches->are_followed || launches->are_settled) {
		program_upper_add(&chip->upper, &process->programs.launches, &chip->queue.state,
				  launches, process->asked_ns, &chip->figure);
		return;
	}
	program_figure_upper(&chip->figure, launches, 0, 0, process->asked_ns);
	if (chip->state == DISPATCH_OK || chip->state == DISPATCH_NO_RECORDS)
		chip->state = DISPATCH_NOT_FOLLOWED;
}

static void judge_chip(const struct program_process *process, struct program_chip *chip)
{
	struct program_launches launches;
	int64_t now = process->asked_ns;

	count_missed(process, chip);
	describe_launches(process, chip, &launches);
	if (chip->kept && !process->has_chip_first && process->n_devices > 1) {
		chip->figure = (struct program_figure){ .last = -1 };
		chip->state = DISPATCH_UNKNOWN_LAYOUT; /* its records may be of several chips */
		return;
	}
	if (chip->has_stream && chip->stream.n_records && !chip->is_usable)
		return; /* the last figure is kept; its window shows its age */
	if (chip->has_stream)
		program_figure_judge(&chip->figure, &chip->stream, &launches, now);
	if (chip->has_stream && (chip->figure.is_known || !chip->has_queue))
		chip->state = chip->stream.clock.ticks_per_ns > 0 ? DISPATCH_NO_RECORDS
								  : DISPATCH_NO_CLOCK;
	else if (chip->has_queue)
		judge_queue(process, chip, &launches);
	else if (chip->state == DISPATCH_OK || chip->state == DISPATCH_NO_RECORDS)
		judge_unused(process, chip, &launches);
	if (chip->figure.is_known)
		chip->state = DISPATCH_OK;
}

/* A chip for which there is no memory is added in the next sample. */
static void add_profiled(struct program_process *process)
{
	for (uint32_t chip = 0; chip < PROFILER_CHIPS; chip++)
		if (process->programs.profiled >> chip & 1)
			(void)program_process_chip(process, chip);
}

void program_judge(struct program_process *process)
{
	add_profiled(process);
	for (size_t i = 0; i < process->n_chips; i++)
		judge_chip(process, &process->chips[i]);
}
