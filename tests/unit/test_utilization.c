/* Utilisation of a device, from the figures of its processes. */
#include "model/utilization.h"
#include "unit.h"

#include <stdio.h>

static struct utilization_figure figure_of(double share, enum utilization_bound bound)
{
	struct utilization_figure figure = utilization_unknown(KNOWN);

	figure.value = (struct utilization){ .share = share, .bound = bound, .programs = 10 };
	figure.why[UTIL_RUNNING] = NOT_APPLICABLE;
	return figure;
}

static struct utilization_figure join(const struct utilization_figure *figures, size_t count)
{
	struct utilization_union sum = { 0 };

	for (size_t i = 0; i < count; i++)
		utilization_union_add(&sum, &figures[i]);
	return utilization_union_get(&sum);
}

#define JOIN(...)                                                         \
	join((const struct utilization_figure[]){ __VA_ARGS__ },          \
	     sizeof((const struct utilization_figure[]){ __VA_ARGS__ }) / \
		     sizeof(struct utilization_figure))

static void assert_figure(const struct utilization_figure *figure, double share,
			  enum utilization_bound bound)
{
	assert_int_equal(figure->why[UTIL_SHARE], KNOWN);
	assert_int_equal(figure->why[UTIL_BOUND], KNOWN);
	assert_near(figure->value.share, share);
	assert_int_equal(figure->value.bound, bound);
}

TEST(the_figure_of_the_only_process_is_that_of_the_device)
{
	for (enum utilization_bound bound = 0; bound < BOUND_N; bound++) {
		struct utilization_figure one = JOIN(figure_of(0.4, bound));

		assert_figure(&one, 0.4, bound);
		assert_int_equal(one.why[UTIL_RUNNING], NOT_APPLICABLE);
	}
}

TEST(of_several_the_largest_is_a_lower_bound)
{
	struct utilization_figure sum =
		JOIN(figure_of(0.4, BOUND_EXACT), figure_of(0.6, BOUND_LOWER));

	assert_figure(&sum, 0.6, BOUND_LOWER);
	assert_near(sum.value.programs, 20);
	sum = JOIN(figure_of(0.4, BOUND_EXACT), figure_of(0.9, BOUND_UPPER));
	assert_figure(&sum, 0.4, BOUND_LOWER);
}

TEST(the_sum_of_upper_bounds_is_one)
{
	struct utilization_figure sum =
		JOIN(figure_of(0.4, BOUND_UPPER), figure_of(0.5, BOUND_UPPER));

	assert_figure(&sum, 0.9, BOUND_UPPER);
	sum = JOIN(figure_of(0.4, BOUND_UPPER), figure_of(0.7, BOUND_UPPER));
	assert_figure(&sum, 1, BOUND_UPPER);
}

TEST(a_process_without_a_figure_leaves_a_lower_bound_or_none)
{
	struct utilization_figure sum =
		JOIN(utilization_unknown(NOT_TRACED), figure_of(0.4, BOUND_EXACT));

	assert_figure(&sum, 0.4, BOUND_LOWER);
	sum = JOIN(figure_of(0.4, BOUND_UPPER), utilization_unknown(NOT_TRACED));
	assert_int_equal(sum.why[UTIL_SHARE], NOT_TRACED);
	assert_int_equal(sum.why[UTIL_BOUND], NOT_TRACED);
	sum = JOIN(utilization_unknown(STALE), utilization_unknown(NOT_TRACED));
	assert_int_equal(sum.why[UTIL_SHARE], STALE);
}

TEST(the_oldest_running_program_and_the_last_that_ended_count)
{
	struct utilization_figure a = figure_of(0.1, BOUND_EXACT), b = figure_of(0.2, BOUND_EXACT);
	struct utilization_figure sum;

	a.value.last_program = 5;
	b.value.last_program = 3;
	b.why[UTIL_RUNNING] = KNOWN;
	b.value.running = 12;
	snprintf(a.value.operation, sizeof(a.value.operation), "add");
	snprintf(b.value.operation, sizeof(b.value.operation), "matmul");
	sum = JOIN(a, b);
	assert_near(sum.value.last_program, 3);
	assert_near(sum.value.running, 12);
	assert_string_equal(sum.value.operation, "matmul");
	sum = JOIN(b, a);
	assert_near(sum.value.last_program, 3);
	assert_string_equal(sum.value.operation, "matmul");
}

TEST(a_further_process_makes_an_exact_figure_a_lower_bound)
{
	struct utilization_figure figure = figure_of(0.5, BOUND_EXACT);

	utilization_add_unknown(&figure, NOT_TRACED);
	assert_figure(&figure, 0.5, BOUND_LOWER);
	figure = figure_of(0.5, BOUND_UPPER);
	utilization_add_unknown(&figure, NOT_TRACED);
	assert_int_equal(figure.why[UTIL_SHARE], NOT_TRACED);
}

TEST(a_program_is_running_until_one_ends)
{
	struct utilization_figure figure = figure_of(1, BOUND_EXACT);

	assert_false(utilization_is_running(figure.why, &figure.value));
	figure.why[UTIL_RUNNING] = KNOWN;
	figure.value.running = 12;
	assert_false(utilization_is_running(figure.why, &figure.value));
	figure.value.programs = 0;
	assert_true(utilization_is_running(figure.why, &figure.value));
	figure.value.running = 0.9;
	assert_false(utilization_is_running(figure.why, &figure.value));
	figure = utilization_idle();
	assert_false(utilization_is_running(figure.why, &figure.value));
	assert_figure(&figure, 0, BOUND_EXACT);
	/* An upper bound includes it. */
	figure.value.programs = 0;
	figure.why[UTIL_SHARE] = KNOWN;
	figure.why[UTIL_RUNNING] = KNOWN;
	figure.value.bound = BOUND_UPPER;
	figure.value.running = 12;
	assert_false(utilization_is_running(figure.why, &figure.value));
	figure.why[UTIL_SHARE] = NO_IOMMU;
	assert_true(utilization_is_running(figure.why, &figure.value));
	assert_true(utilization_is_shown(figure.why, &figure.value));
	figure.value.running = 0.9;
	assert_false(utilization_is_running(figure.why, &figure.value));
	assert_false(utilization_is_shown(figure.why, &figure.value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_figure_of_the_only_process_is_that_of_the_device),
		cmocka_unit_test(of_several_the_largest_is_a_lower_bound),
		cmocka_unit_test(the_sum_of_upper_bounds_is_one),
		cmocka_unit_test(a_process_without_a_figure_leaves_a_lower_bound_or_none),
		cmocka_unit_test(the_oldest_running_program_and_the_last_that_ended_count),
		cmocka_unit_test(a_further_process_makes_an_exact_figure_a_lower_bound),
		cmocka_unit_test(a_program_is_running_until_one_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
