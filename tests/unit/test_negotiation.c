/* Headers of requests: the format of metrics, compression, the name of the server; addresses. */
#include "serve/address.h"
#include "serve/negotiation.h"
#include "unit.h"

#include <errno.h>

TEST(prometheus_gets_openmetrics)
{
	assert_int_equal(accept_format("application/openmetrics-text;version=1.0.0,"
				       "application/openmetrics-text;version=0.0.1;q=0.75,"
				       "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"),
			 METRICS_OPENMETRICS);
	assert_int_equal(accept_format("application/openmetrics-text"), METRICS_OPENMETRICS);
	assert_int_equal(accept_format(" Application/OpenMetrics-Text ; version=1.0.0 ; q=0.2"),
			 METRICS_OPENMETRICS);
}

TEST(others_get_the_plain_format)
{
	static const char *const headers[] = {
		NULL,
		"",
		"*/*",
		",;,;;",
		"text/html",
		"text/plain;version=0.0.4",
		"application/openmetrics-text;q=0",
		"application/openmetrics-text;version=2.0.0",
		"application/openmetrics-text;q=0.3,text/plain;q=0.9",
		"application/openmetrics-textual",
	};

	for (size_t i = 0; i < ARRAY_SIZE(headers); i++)
		assert_int_equal(accept_format(headers[i]), METRICS_TEXT);
}

TEST(gzip_only_if_it_is_accepted)
{
	assert_true(accepts_gzip("gzip"));
	assert_true(accepts_gzip("deflate, GZIP;q=0.5"));
	assert_false(accepts_gzip(NULL));
	assert_false(accepts_gzip(""));
	assert_false(accepts_gzip("identity"));
	assert_false(accepts_gzip("gzip;q=0"));
	assert_false(accepts_gzip("gzip;q=0.0, identity"));
	assert_false(accepts_gzip("xgzip"));
}

TEST(foreign_names_are_refused)
{
	static const struct host_names names = { .list = { "node1.example.org" }, .count = 1 };
	static const char *const ours[] = { NULL,	 "localhost",		"LocalHost:7762",
					    "127.0.0.1", "10.1.2.3:7762",	"[::1]:7762",
					    "[fe80::1]", "Node1.Example.Org:80" };
	static const char *const foreign[] = {
		"",	"evil.com",    "evil.com:7762", "localhost.evil.com", "127.0.0.1.evil.com",
		"[::1", "localhost:x", "node1",		"[evil.com]",	      "127.0.0.1:80:80"
	};

	for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
		assert_true(host_is_accepted(ours[i], &names));
	for (size_t i = 0; i < ARRAY_SIZE(foreign); i++)
		assert_false(host_is_accepted(foreign[i], &names));
}

static void assert_address(const char *text, bool loopback)
{
	struct listen_address address;
	char again[LISTEN_ADDRESS_TEXT];

	assert_int_equal(listen_address_parse(text, &address), 0);
	listen_address_text((const struct sockaddr *)&address.address, again, sizeof(again));
	assert_string_equal(again, text);
	assert_int_equal(address_is_loopback((const struct sockaddr *)&address.address), loopback);
}

TEST(addresses_are_parsed_completely_or_not_at_all)
{
	static const char *const malformed[] = {
		"",	    "7762",	    ":7762",	     "localhost:1", "1.2.3.4",
		"1.2.3.4:", "1.2.3.4:-1",   "1.2.3.4:65536", "::1:80",	    "[::1]",
		"[::1:80",  "[1.2.3.4]:80", "1.2.3:1",	     "1.2.3.4:80x", "[::1]x:80"
	};
	struct listen_address address;

	assert_address("127.0.0.1:7762", true);
	assert_address("127.1.2.3:0", true);
	assert_address("0.0.0.0:65535", false);
	assert_address("[::1]:80", true);
	assert_address("[::]:80", false);
	assert_address("[::ffff:127.0.0.1]:80", true);
	assert_address("[::ffff:10.0.0.1]:80", false);
	for (size_t i = 0; i < ARRAY_SIZE(malformed); i++)
		assert_int_equal(listen_address_parse(malformed[i], &address), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prometheus_gets_openmetrics),
		cmocka_unit_test(others_get_the_plain_format),
		cmocka_unit_test(gzip_only_if_it_is_accepted),
		cmocka_unit_test(foreign_names_are_refused),
		cmocka_unit_test(addresses_are_parsed_completely_or_not_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
