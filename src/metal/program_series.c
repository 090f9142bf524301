#include "metal/program_series.h"

#define AMOUNT_MAX ((UINT64_C(1) << PROGRAM_AMOUNT_BITS) - 1)

static uint64_t *step_at(struct program_series *series, uint64_t number)
{
	return &series->steps[number % PROGRAM_STEPS];
}

static void add(struct program_series *series, uint64_t number, uint64_t amount)
{
	uint64_t *step = step_at(series, number);
	uint64_t word = __atomic_load_n(step, __ATOMIC_RELAXED);

	if (word >> PROGRAM_AMOUNT_BITS != number)
		word = number << PROGRAM_AMOUNT_BITS;
	amount = MIN(amount, AMOUNT_MAX - (word & AMOUNT_MAX));
	__atomic_store_n(step, word + amount, __ATOMIC_RELEASE);
}

static uint64_t amount_of(const struct program_series *series, uint64_t number)
{
	uint64_t word = __atomic_load_n(&series->steps[number % PROGRAM_STEPS], __ATOMIC_ACQUIRE);

	return word >> PROGRAM_AMOUNT_BITS == number ? word & AMOUNT_MAX : 0;
}

static int64_t step_start(uint64_t number)
{
	return (int64_t)(number << PROGRAM_STEP_BITS);
}

/* Times before the boot of the machine do not occur. */
static uint64_t step_of(int64_t ns)
{
	return (uint64_t)MAX(ns, 0) >> PROGRAM_STEP_BITS;
}

void program_series_add_time(struct program_series *series, int64_t start, int64_t end)
{
	/* Times that are older than the series would overwrite newer steps. */
	start = MAX(start, end - (int64_t)(PROGRAM_STEPS - 1) * PROGRAM_STEP_NS);
	while (start < end) {
		uint64_t number = step_of(start);
		int64_t until = MIN(end, step_start(number + 1));

		add(series, number, (uint64_t)(until - start));
		start = until;
	}
}

void program_series_add_one(struct program_series *series, int64_t at)
{
	add(series, step_of(at), 1);
}

uint64_t program_series_sum(const struct program_series *series, int64_t from, int64_t to)
{
	double sum = 0;

	for (uint64_t number = step_of(from); step_start(number) < to; number++) {
		int64_t start = MAX(from, step_start(number));
		int64_t end = MIN(to, step_start(number + 1));

		sum += (double)amount_of(series, number) * (double)(end - start) / PROGRAM_STEP_NS;
	}
	return (uint64_t)(sum + 0.5);
}

int program_series_intervals(const struct program_series *series, int64_t from, int64_t to,
			     struct program_intervals *ret)
{
	int r = 0;

	for (uint64_t number = step_of(from); step_start(number) < to && r == 0; number++) {
		int64_t start = step_start(number);
		int64_t ns = (int64_t)MIN(amount_of(series, number), (uint64_t)PROGRAM_STEP_NS);

		r = program_intervals_add(ret, start, start + ns);
	}
	return r;
}
