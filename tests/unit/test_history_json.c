/* The charts of the last hour as JSON: steps, gaps, values in base units. */
#include "history_machine.h"

#include "basic/clock.h"
#include "render/history_json.h"

#include <string.h>

#define S NS_PER_S

static const struct render_options look = { .version = "1" };

static void add(int64_t second, double watts)
{
	struct device *dev = &machine->devices[0];

	machine->taken_ns = second * S;
	machine->wall_ns = (1000000 + second) * S;
	dev->power = watts;
	dev->why[DEV_POWER] = watts < 0 ? DENIED : KNOWN;
	assert_int_equal(history_add(history, machine, 5 * S / 2), 0);
}

static void assert_has(const struct history_query *query, const char *text)
{
	CLEANUP_BUF struct buf out = { 0 };

	assert_true(history_json_render(&out, &look, history, machine, query));
	if (!strstr(buf_text(&out), text))
		fail_msg("no %s in %s", text, buf_text(&out));
}

static void each_second_has_its_value(void **state)
{
	(void)state;
	for (int64_t i = 0; i < 5; i++)
		add(100 + i, 50 + (double)i);
	assert_has(&(struct history_query){ "3", METRIC_POWER, 5 },
		   "\"step\":1,\"start\":1.0001e+06,\"count\":5,\"metrics\":{\"power\":{\"title\":"
		   "\"Power\",\"field\":\"power\",\"unit\":\"watt\"}},\"devices\":[{\"id\":3,"
		   "\"uuid\":null,\"readings\":{\"power\":{\"low\":[50,51,52,53,54],"
		   "\"high\":[50,51,52,53,54]}}}]}");
}

static void an_hour_has_lows_and_highs_of_six_seconds(void **state)
{
	(void)state;
	for (int64_t i = 0; i < 12; i++)
		add(7200 + i, 10 * (double)i);
	assert_has(&(struct history_query){ NULL, METRIC_POWER, 3600 }, "\"step\":6");
	assert_has(&(struct history_query){ NULL, METRIC_POWER, 3600 },
		   "null,0,60],\"high\":[null,");
	assert_has(&(struct history_query){ NULL, METRIC_POWER, 3600 }, "null,50,110]}");
}

static void missing_samples_and_unknown_values_are_gaps(void **state)
{
	(void)state;
	add(100, 1);
	add(108, 2);
	add(109, -1);
	add(110, 3);
	assert_has(&(struct history_query){ NULL, METRIC_POWER, 11 },
		   "\"low\":[1,1,1,1,null,null,null,null,2,null,3]");
	assert_has(&(struct history_query){ NULL, METRIC_TEMPERATURE, 11 },
		   "\"readings\":{\"temperature\":null}");
}

static void values_are_in_base_units_and_short(void **state)
{
	struct device *dev = &machine->devices[0];

	(void)state;
	dev->memory_used[POOL_DRAM] = UINT64_C(3) << 32;
	dev->aiclk = 1000000000;
	dev->pcie_rx = 0;
	dev->why[DEV_DRAM_USED] = dev->why[DEV_AICLK] = dev->why[DEV_PCIE_RX] = KNOWN;
	add(100, 0.125);
	assert_has(&(struct history_query){ NULL, -1, 1 }, "\"dram\":{\"low\":[1288e7]");
	assert_has(&(struct history_query){ NULL, -1, 1 }, "\"aiclk\":{\"low\":[1e9]");
	assert_has(&(struct history_query){ NULL, -1, 1 }, "\"pcie_in\":{\"low\":[0]");
	assert_has(&(struct history_query){ NULL, -1, 1 }, "\"power\":{\"low\":[125e-3]");
}

static void a_device_that_is_not_there_is_none(void **state)
{
	CLEANUP_BUF struct buf out = { 0 };

	(void)state;
	add(100, 1);
	assert_false(history_json_render(&out, &look, history, machine,
					 &(struct history_query){ "4", -1, 60 }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_second_has_its_value, begin, end),
		cmocka_unit_test_setup_teardown(an_hour_has_lows_and_highs_of_six_seconds, begin,
						end),
		cmocka_unit_test_setup_teardown(missing_samples_and_unknown_values_are_gaps, begin,
						end),
		cmocka_unit_test_setup_teardown(values_are_in_base_units_and_short, begin, end),
		cmocka_unit_test_setup_teardown(a_device_that_is_not_there_is_none, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
