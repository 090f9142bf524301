/* What one user may take from the tracer, and that it is the user's own part. */
#include "trace/program_share.h"
#include "unit.h"

static struct program_share *all;

TEST(processes_of_a_user_have_one_share_and_users_have_their_own)
{
	struct program_share *one = program_share_get(&all, 1000);
	struct program_share *two = program_share_get(&all, 1001);

	assert_ptr_not_equal(one, two);
	assert_ptr_equal(program_share_get(&all, 1000), one);
	assert_null(program_share_put(&all, one));
	assert_ptr_equal(program_share_get(&all, 1000), one); /* it was still in use */
	program_share_put(&all, one);
	program_share_put(&all, one);
	assert_ptr_equal(all, two);
	program_share_put(&all, two);
	assert_null(all);
}

TEST(chips_are_limited_and_can_be_given_back)
{
	struct program_share *one = program_share_get(&all, 1), *two = program_share_get(&all, 2);

	for (int i = 0; i < SHARE_CHIPS; i++)
		assert_true(program_share_take_chip(one));
	assert_false(program_share_take_chip(one));
	assert_false(program_share_take_chip(one));
	assert_true(program_share_take_chip(two));
	program_share_return_chips(one, 2);
	assert_true(program_share_take_chip(one));
	assert_true(program_share_take_chip(one));
	assert_false(program_share_take_chip(one));
	program_share_put(&all, one);
	program_share_put(&all, two);
}

/* A process that owes more than a share is admitted again when the share has paid for it. */
TEST(work_is_owed_by_later_samples_of_the_same_user)
{
	struct program_share *one = program_share_get(&all, 1), *two = program_share_get(&all, 2);

	assert_true(program_share_pay(one, 3LL * SHARE_WORK));
	assert_false(program_share_pay(one, 0));
	assert_true(program_share_pay(two, SHARE_WORK / 2));
	assert_true(program_share_pay(two, SHARE_WORK / 2));
	assert_false(program_share_pay(two, 1));
	program_shares_renew(all);
	assert_true(program_share_pay(two, 1));
	assert_false(program_share_pay(one, 1));
	program_shares_renew(all);
	assert_false(program_share_pay(one, 1));
	program_shares_renew(all);
	assert_true(program_share_pay(one, 1));
	/* What is not used is not saved. */
	for (int i = 0; i < 5; i++)
		program_shares_renew(all);
	assert_true(program_share_pay(one, SHARE_WORK));
	assert_false(program_share_pay(one, 1));
	program_share_put(&all, one);
	program_share_put(&all, two);
}

TEST(processes_are_counted_anew_in_each_sample)
{
	struct program_share *one = program_share_get(&all, 1);

	for (size_t i = 0; i < 3; i++)
		assert_int_equal(program_share_count(one), i);
	program_shares_renew(all);
	assert_int_equal(program_share_count(one), 0);
	program_share_put(&all, one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_of_a_user_have_one_share_and_users_have_their_own),
		cmocka_unit_test(chips_are_limited_and_can_be_given_back),
		cmocka_unit_test(work_is_owed_by_later_samples_of_the_same_user),
		cmocka_unit_test(processes_are_counted_anew_in_each_sample),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
