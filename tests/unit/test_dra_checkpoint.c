/* The checkpoint of the vendor's DRA driver. */
#include "proto/dra_checkpoint.h"
#include "unit.h"

#include <errno.h>
#include <string.h>

#define UID "0b5a31a2-8ee0-4a0f-9b52-52c9a8a4c1d7"

static struct dra_checkpoint checkpoint;

static int parse(const char *text)
{
	return dra_checkpoint_parse(text, strlen(text), &checkpoint);
}

TEST(devices_of_all_claims_are_found)
{
	assert_int_equal(parse("{\"checksum\": 42, \"v1\": {\"preparedClaims\": {"
			       "\"" UID "\": [{\"PoolName\": \"node\", \"DeviceName\": \"tt-3\"},"
			       " {\"DeviceName\": \"tt-11\"}],"
			       "\"aaaaaaaa-0000-0000-0000-000000000000\": [{\"Device\": "
			       "{\"device_name\": \"tt-0\"}, \"ContainerEdits\": {\"deviceNodes\": "
			       "[{\"path\": \"/dev/tenstorrent/7\"}]}}]}}}"),
			 0);
	assert_int_equal(checkpoint.count, 3);
	assert_string_equal(checkpoint.devices[0].claim, UID);
	assert_int_equal(checkpoint.devices[0].chip, 3);
	assert_int_equal(checkpoint.devices[0].node, DRA_NO_NODE);
	assert_int_equal(checkpoint.devices[1].chip, 11);
	assert_string_equal(checkpoint.devices[1].claim, UID);
	assert_int_equal(checkpoint.devices[2].chip, 0);
	assert_int_equal(checkpoint.devices[2].node, 7);
}

TEST(a_driver_without_claims_has_no_devices)
{
	static const char *const none[] = {
		"{\"v1\": {}}",
		"{\"v1\": {\"preparedClaims\": {}}}",
		"{\"v1\": {\"preparedClaims\": null}}",
		"{\"v1\": {\"preparedClaims\": {\"" UID "\": []}}}",
		"{\"v1\": {\"preparedClaims\": {\"" UID "\": null}}, \"checksum\": 1}",
	};

	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		checkpoint.count = 9;
		assert_int_equal(parse(none[i]), 0);
		assert_int_equal(checkpoint.count, 0);
	}
}

/* The number of devices is then unknown, instead of wrong. */
TEST(anything_unexpected_is_refused)
{
	static const char *const wrong[] = {
		"",
		"[]",
		"{}",
		"{\"v2\": {\"preparedClaims\": {}}}",
		"{\"v1\": []}",
		"{\"v1\": {\"other\": {}}}",
		"{\"v1\": {\"preparedClaims\": []}}",
		"{\"v1\": {\"preparedClaims\": {\"" UID "\": {}}}}",
		"{\"v1\": {\"preparedClaims\": {\"" UID "\": [\"tt-0\"]}}}",
		"{\"v1\": {\"preparedClaims\": {\"" UID "\": [{}]}}}",
		"{\"v1\": {\"preparedClaims\": {\"" UID "\": [{\"DeviceName\": 0}]}}}",
		"{\"v1\": {\"preparedClaims\": {\"" UID "\": [{\"DeviceName\": \"tt-\"}]}}}",
		"{\"v1\": {\"preparedClaims\": {\"" UID "\": [{\"DeviceName\": \"gpu-0\"}]}}}",
		"{\"v1\": {\"preparedClaims\": {\"" UID "\": [{\"DeviceName\": \"tt-0x\"}]}}}",
		"{\"v1\": {\"preparedClaims\": {\"" UID
		"\": [{\"DeviceName\": \"tt-99999999999999999999\"}]}}}",
		"{\"v1\": {\"preparedClaims\": {\"not a uid\": [{\"DeviceName\": \"tt-0\"}]}}}",
		"{\"v1\": {\"preparedClaims\": {\"" UID "\": [{\"DeviceName\": \"tt-0\"}]}}} x",
		"{\"v1\": {\"preparedClaims\": {\"" UID "\": [{\"DeviceName\": \"tt-0\"}]}}",
	};

	checkpoint.count = 9;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		if (parse(wrong[i]) != -EBADMSG)
			fail_msg("%s is accepted", wrong[i]);
	assert_int_equal(checkpoint.count, 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_of_all_claims_are_found),
		cmocka_unit_test(a_driver_without_claims_has_no_devices),
		cmocka_unit_test(anything_unexpected_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
