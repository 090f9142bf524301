#include "model/utilization.h"

#include "basic/macros.h"

#include <stdio.h>
#include <string.h>

const char *const utilization_bounds[BOUND_N] = {
	[BOUND_EXACT] = "exact",
	[BOUND_LOWER] = "lower",
	[BOUND_UPPER] = "upper",
};

struct utilization_figure utilization_unknown(enum reason why)
{
	struct utilization_figure figure = { 0 };

	memset(figure.why, why, sizeof(figure.why));
	return figure;
}

struct utilization_figure utilization_idle(void)
{
	struct utilization_figure figure = { .value.bound = BOUND_EXACT };

	figure.why[UTIL_RUNNING] = figure.why[UTIL_OPERATION] = NOT_APPLICABLE;
	figure.why[UTIL_LAST_PROGRAM] = NOT_REPORTED;
	return figure;
}

/* Most programs end sooner: one that was launched less than a second ago says nothing. */
static bool is_unfinished(const uint8_t why[static UTILIZATION_FIELDS],
			  const struct utilization *value)
{
	return why[UTIL_RUNNING] == KNOWN && value->running >= 1;
}

bool utilization_is_shown(const uint8_t why[static UTILIZATION_FIELDS],
			  const struct utilization *value)
{
	return why[UTIL_SHARE] == KNOWN || is_unfinished(why, value);
}

bool utilization_is_running(const uint8_t why[static UTILIZATION_FIELDS],
			    const struct utilization *value)
{
	if (!is_unfinished(why, value))
		return false;
	return why[UTIL_SHARE] != KNOWN || (value->bound != BOUND_UPPER && value->programs <= 0);
}

static int rank(const struct utilization_figure *figure)
{
	enum reason why = figure->why[UTIL_SHARE];

	if (why == KNOWN)
		return figure->value.bound == BOUND_EXACT ? 4 : 3;
	if (figure->why[UTIL_RUNNING] == KNOWN)
		return 2;
	return why != NOT_TRACED && why != STALE;
}

static bool is_lower(const struct utilization_figure *figure)
{
	return figure->why[UTIL_SHARE] == KNOWN && figure->value.bound == BOUND_LOWER;
}

bool utilization_is_better(const struct utilization_figure *figure,
			   const struct utilization_figure *than)
{
	int mine = rank(figure), other = rank(than);

	if (mine == other && is_lower(figure) && is_lower(than))
		return figure->value.share > than->value.share;
	return mine > other;
}

static void set(struct utilization_figure *figure, enum utilization_field field, double *member,
		double value)
{
	*member = value;
	figure->why[field] = KNOWN;
}

/* Takes the other fields: all programs, the oldest running one, the last that ended. */
static void add_details(struct utilization_figure *sum, const struct utilization_figure *figure)
{
	const struct utilization *value = &figure->value;
	struct utilization *to = &sum->value;

	if (figure->why[UTIL_PROGRAMS] == KNOWN)
		set(sum, UTIL_PROGRAMS, &to->programs, to->programs + value->programs);
	if (figure->why[UTIL_RUNNING] == KNOWN)
		set(sum, UTIL_RUNNING, &to->running, MAX(to->running, value->running));
	if (figure->why[UTIL_LAST_PROGRAM] == KNOWN)
		set(sum, UTIL_LAST_PROGRAM, &to->last_program,
		    sum->why[UTIL_LAST_PROGRAM] == KNOWN
			    ? MIN(to->last_program, value->last_program)
			    : value->last_program);
}

void utilization_union_add(struct utilization_union *sum, const struct utilization_figure *figure)
{
	const struct utilization *value = &figure->value;
	bool first = sum->measured + sum->unmeasured == 0;
	bool known = figure->why[UTIL_SHARE] == KNOWN;

	if (!known && sum->unmeasured++ == 0)
		sum->why = figure->why[UTIL_SHARE];
	if (first) {
		sum->figure = *figure;
	} else {
		add_details(&sum->figure, figure);
		if (known && figure->why[UTIL_OPERATION] == KNOWN && value->share > sum->most) {
			memcpy(sum->figure.value.operation, value->operation,
			       sizeof(value->operation));
			sum->figure.why[UTIL_OPERATION] = KNOWN;
		}
	}
	if (!known)
		return;
	sum->measured++;
	sum->bounds[value->bound]++;
	sum->sum += value->share;
	if (value->bound != BOUND_UPPER)
		sum->most = MAX(sum->most, value->share);
}

struct utilization_figure utilization_union_get(const struct utilization_union *sum)
{
	struct utilization_figure figure = sum->figure;

	if (sum->measured + sum->unmeasured == 1)
		return figure;
	figure.why[UTIL_SHARE] = figure.why[UTIL_BOUND] = KNOWN;
	if (sum->bounds[BOUND_EXACT] + sum->bounds[BOUND_LOWER]) {
		figure.value.share = sum->most;
		figure.value.bound = BOUND_LOWER;
	} else if (sum->unmeasured == 0) {
		figure.value.share = MIN(sum->sum, 1);
		figure.value.bound = BOUND_UPPER;
	} else {
		figure.why[UTIL_SHARE] = figure.why[UTIL_BOUND] = (uint8_t)sum->why;
	}
	return figure;
}

void utilization_add_unknown(struct utilization_figure *figure, enum reason why)
{
	if (figure->why[UTIL_SHARE] != KNOWN)
		return;
	if (figure->value.bound == BOUND_UPPER)
		figure->why[UTIL_SHARE] = figure->why[UTIL_BOUND] = (uint8_t)why;
	else
		figure->value.bound = BOUND_LOWER;
}
