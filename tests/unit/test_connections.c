/* Which connection of tt_smi serve ends if there are too many. */
#include "serve/connections.h"
#include "unit.h"

enum { NO_FD = 1 << 24 }; /* never a descriptor: shutdown() of it fails */

static void add(struct connection_table *table, unsigned char address, int64_t begun_ns)
{
	struct http_connection *entry = table->list;

	while (entry->fd >= 0)
		entry++;
	*entry = (struct http_connection){ .fd = NO_FD, .begun_ns = begun_ns };
	entry->client.bytes[15] = address;
}

static bool add_stream(struct connection_table *table, unsigned char address, int64_t begun_ns)
{
	struct http_connection entry = { .fd = NO_FD, .begun_ns = begun_ns };
	size_t i = 0;

	entry.client.bytes[15] = address;
	if (!connection_begin_stream(table, &entry))
		return false;
	while (table->list[i].fd >= 0 && !table->list[i].ending)
		i++;
	table->list[i] = entry;
	return true;
}

static unsigned count_streams(const struct connection_table *table, unsigned char address)
{
	struct address_key client = { { [15] = address } };

	return connections_count(table, true, &client);
}

TEST(the_oldest_connection_of_the_address_with_the_most_ends)
{
	struct connection_table table;
	struct http_connection *chosen;

	connections_init(&table);
	assert_null(connections_choose(&table, false));
	add(&table, 1, 5); /* the oldest of all, but the only one of its address */
	add(&table, 2, 30);
	add(&table, 2, 20);
	add(&table, 3, 10);
	chosen = connections_choose(&table, false);
	assert_int_equal(chosen->begun_ns, 20);
	chosen->ending = true; /* counts no longer */
	assert_int_equal(connections_choose(&table, false)->begun_ns, 5);
	assert_int_equal(connections_count(&table, false, NULL), 3);
	assert_null(connections_choose(&table, true));
}

TEST(streams_are_shared_between_addresses)
{
	struct connection_table table;

	connections_init(&table);
	for (int i = 0; i < MAX_STREAMS; i++)
		assert_true(add_stream(&table, 1 + i % 2, 100 + i));
	for (int i = 0; i < 10; i++)
		assert_true(add_stream(&table, 3, 200 + i));
	assert_int_equal(count_streams(&table, 3), 10);
	assert_int_equal(count_streams(&table, 1), MAX_STREAMS / 2 - 5);
	assert_int_equal(connections_count(&table, true, NULL), MAX_STREAMS);
}

TEST(a_stream_does_not_end_another_one_for_an_equal_share)
{
	struct connection_table table;

	connections_init(&table);
	for (int i = 0; i < MAX_STREAMS; i++)
		assert_true(add_stream(&table, (unsigned char)i, i));
	assert_false(add_stream(&table, MAX_STREAMS, 100)); /* one instead of the one of another */
	assert_false(add_stream(&table, 7, 100));
	assert_int_equal(connections_count(&table, true, NULL), MAX_STREAMS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_oldest_connection_of_the_address_with_the_most_ends),
		cmocka_unit_test(streams_are_shared_between_addresses),
		cmocka_unit_test(a_stream_does_not_end_another_one_for_an_equal_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
