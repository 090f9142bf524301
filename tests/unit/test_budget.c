/* The processor time that costly answers of tt_smi serve may take. */
#include "basic/clock.h"
#include "serve/budget.h"
#include "unit.h"

static struct address_key client(unsigned number)
{
	struct address_key key = { { [10] = 0xFF, [11] = 0xFF, [12] = 192 } };

	key.bytes[14] = (unsigned char)(number >> 8);
	key.bytes[15] = (unsigned char)number;
	return key;
}

/*
 * Lets a client use CPU time in steps of a millisecond until it is refused, for this reason.
 * Returns the total in nanoseconds.
 */
static int64_t spend(struct budget *budget, unsigned number, int64_t now, enum budget_answer reason)
{
	struct address_key key = client(number);
	int64_t spent = 0;

	while (budget_ask(budget, &key, now) == BUDGET_ALLOWED) {
		budget_charge(budget, &key, now, NS_PER_MS);
		spent += NS_PER_MS;
		assert_true(spent < 1000 * NS_PER_S);
	}
	assert_int_equal(budget_ask(budget, &key, now), reason);
	return spent;
}

TEST(an_address_has_a_burst_and_then_a_quarter_of_the_time)
{
	struct budget budget = { 0 };
	int64_t now = 1000 * NS_PER_S;

	assert_int_equal(spend(&budget, 1, now, BUDGET_OF_ADDRESS_SPENT), 126 * NS_PER_MS);
	assert_int_equal(spend(&budget, 1, now, BUDGET_OF_ADDRESS_SPENT), 0);
	now += 400 * NS_PER_MS;
	assert_int_equal(spend(&budget, 1, now, BUDGET_OF_ADDRESS_SPENT), 100 * NS_PER_MS);
	now += 3600 * NS_PER_S; /* unused time does not accumulate */
	assert_int_equal(spend(&budget, 1, now, BUDGET_OF_ADDRESS_SPENT), 126 * NS_PER_MS);
}

TEST(all_addresses_have_half_of_the_time)
{
	struct budget budget = { 0 };
	int64_t now = 1000 * NS_PER_S, spent = 0;

	assert_int_equal(spend(&budget, 1, now, BUDGET_OF_ADDRESS_SPENT), 126 * NS_PER_MS);
	assert_int_equal(spend(&budget, 2, now, BUDGET_SPENT), 125 * NS_PER_MS);
	assert_int_equal(spend(&budget, 3, now, BUDGET_SPENT), 0);
	/* The limit is the same with a thousand addresses. */
	for (int i = 0; i < 1000; i++) {
		struct address_key key = client((unsigned)i);

		now += 10 * NS_PER_MS;
		if (budget_ask(&budget, &key, now) != BUDGET_ALLOWED)
			continue;
		budget_charge(&budget, &key, now, 20 * NS_PER_MS);
		spent += 20 * NS_PER_MS;
	}
	assert_true(spent > 4900 * NS_PER_MS && spent < 5100 * NS_PER_MS);
}

TEST(others_do_not_make_an_address_that_spent_too_much_forgotten)
{
	struct budget budget = { 0 };
	int64_t now = 1000 * NS_PER_S;
	struct address_key one = client(1);

	budget_charge(&budget, &one, now, 1000 * NS_PER_MS);
	now += 2500 *
	       NS_PER_MS; /* the debt of all addresses together is paid, that of this one is not */
	for (unsigned i = 2; i < 1000; i++) {
		struct address_key key = client(i);

		assert_int_equal(budget_ask(&budget, &key, now), BUDGET_ALLOWED);
		budget_charge(&budget, &key, now, NS_PER_MS / 10);
	}
	assert_int_equal(budget_ask(&budget, &one, now), BUDGET_OF_ADDRESS_SPENT);
	assert_int_equal(budget_ask(&budget, &one, now + NS_PER_S), BUDGET_ALLOWED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_has_a_burst_and_then_a_quarter_of_the_time),
		cmocka_unit_test(all_addresses_have_half_of_the_time),
		cmocka_unit_test(others_do_not_make_an_address_that_spent_too_much_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
