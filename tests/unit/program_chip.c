#include "program_chip.h"

struct program_record records[RECORDS];

void chip_begin(struct chip *chip, int64_t every, int64_t busy)
{
	*chip = (struct chip){ .ticks_per_ns = 1.0,
			       .tick = 77000,
			       .at = BEGIN,
			       .next = BEGIN,
			       .every = every,
			       .busy = busy };
	program_stream_init(&chip->stream, BEGIN);
	program_clock_set(&chip->stream.clock, 77000, BEGIN, 1.0);
}

uint64_t chip_tick(const struct chip *chip, int64_t ns)
{
	return chip->tick + (uint64_t)((double)(ns - chip->at) * chip->ticks_per_ns);
}

void chip_set_rate(struct chip *chip, int64_t now, double ticks_per_ns)
{
	chip->tick = chip_tick(chip, now);
	chip->at = now;
	chip->ticks_per_ns = ticks_per_ns;
}

uint16_t chip_next_id(struct chip *chip)
{
	chip->launched += chip->id == UINT16_MAX;
	chip->launched++;
	return chip->id == UINT16_MAX ? 1 : (uint16_t)(chip->id + 1);
}

void chip_launch(struct chip *chip, int64_t at)
{
	program_launch(&chip->state, 1, true, (uint64_t)at);
}

bool chip_add(struct chip *chip, size_t count, uint64_t lost, int64_t since, int64_t now)
{
	const struct program_batch batch = {
		.records = records,
		.count = count,
		.lost = lost,
		.since = since,
		.now = now,
		.launches = chip->launches.are_followed ? &chip->state : NULL,
		.queue = &chip->queue,
	};

	return program_stream_add(&chip->stream, &batch);
}

size_t chip_run(struct chip *chip, int64_t now)
{
	size_t count = 0;

	while (chip->busy && chip->next + chip->busy <= now && count < RECORDS) {
		uint64_t before = chip->launched;

		chip->id = chip_next_id(chip);
		for (; before < chip->launched; before++)
			chip_launch(chip, chip->next);
		if (chip->waits) {
			chip->queue.completed = chip->launched;
			chip->queue.idle_ns = (uint64_t)(chip->next + chip->busy);
		}
		records[count++] =
			(struct program_record){ .start = chip_tick(chip, chip->next),
						 .end = chip_tick(chip, chip->next + chip->busy),
						 .id = chip->id };
		chip->next += chip->every;
	}
	return count;
}

double figure_share(const struct program_figure *figure)
{
	return (double)figure->busy / (double)figure->window;
}

void chip_follow(struct chip *chip)
{
	chip->launches.are_followed = true;
	chip->launches.count = chip->launches.count_after = chip->launched;
	chip->launches.newest_ns = chip->next - chip->every;
}

bool chip_play(struct chip *chip, int64_t from, int64_t until, bool followed,
	       struct program_figure *ret)
{
	bool usable = false;

	for (int64_t now = from + PERIOD; now <= until; now += PERIOD) {
		size_t count = chip_run(chip, now);

		if (followed)
			chip_follow(chip);
		usable = chip_add(chip, count, 0, now - PERIOD, now);
		program_figure_judge(ret, &chip->stream, &chip->launches, now);
	}
	return usable;
}
