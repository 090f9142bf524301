/* tt_smi fleet: answers of servers, expressions, URLs, and the model of the fleet. */
#include "basic/exit_code.h"
#include "fleet/chips.h"
#include "fleet/document.h"
#include "fleet/fleet.h"
#include "fleet/fleet_render.h"
#include "fleet/promql.h"
#include "fleet/server_url.h"
#include "fleet/vector.h"
#include "fleet/who.h"
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

struct seen {
	size_t count;
	char instance[64];
	double value;
};

static int see(void *arg, const struct label_set *labels, double value)
{
	struct seen *seen = arg;

	seen->count++;
	snprintf(seen->instance, sizeof(seen->instance), "%s", label_text(labels, "instance"));
	seen->value = value;
	assert_null(label_get(labels, "none"));
	return 0;
}

static int read_text(const char *text, struct seen *seen, struct buf *error)
{
	const struct vector_reader reader = { see, seen };

	*seen = (struct seen){ 0 };
	return vector_read(text, strlen(text), &reader, error);
}

#define ANSWER(result) \
	"{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":" result "}}"

TEST(a_vector_has_labels_and_values)
{
	CLEANUP_BUF struct buf error = { 0 };
	struct seen seen;

	assert_int_equal(read_text(ANSWER("[]"), &seen, &error), 0);
	assert_int_equal(seen.count, 0);
	assert_int_equal(
		read_text(ANSWER("[{\"metric\":{\"instance\":\"a\",\"x\":\"y\"},\"value\":[1.5,"
				 "\"2\"]},{\"value\":[1,\"6.5e3\"],\"metric\":{\"instance\":\"b\"}}"
				 "]"),
			  &seen, &error),
		0);
	assert_int_equal(seen.count, 2);
	assert_string_equal(seen.instance, "b");
	assert_near(seen.value, 6500);
	/* A number that is not finite counts as missing; unknown members are ignored. */
	assert_int_equal(
		read_text(ANSWER("[{\"metric\":{},\"value\":[1,\"NaN\"]}]"), &seen, &error), 0);
	assert_int_equal(seen.count, 0);
	assert_int_equal(
		read_text(
			"{\"status\":\"success\",\"isPartial\":false,\"data\":{\"resultType\":"
			"\"vector\",\"result\":[{\"metric\":{},\"value\":[1,\"+Inf\"],\"new\":[]},"
			"{\"metric\":{},\"value\":[1,\"7\"],\"new\":[]}]}"
			",\"warnings\":[\"w\"]}",
			&seen, &error),
		0);
	assert_true(seen.count == 1);
	assert_near(seen.value, 7);
}

TEST(other_answers_are_refused)
{
	static const char *const texts[] = {
		"",
		"<html>",
		"[]",
		"{}",
		"{\"status\":\"success\"}",
		ANSWER("{}"),
		ANSWER("[1]"),
		ANSWER("[{}]"),
		ANSWER("[{\"metric\":{}}]"),
		ANSWER("[{\"metric\":{\"a\":1},\"value\":[1,\"2\"]}]"),
		ANSWER("[{\"metric\":{},\"value\":[1,2]}]"),
		ANSWER("[{\"metric\":{},\"value\":[1,\"\"]}]"),
		ANSWER("[{\"metric\":{},\"value\":[1,\"2 \"]}]"),
		ANSWER("[{\"metric\":{},\"value\":[1,\"2\",3]}]"),
		ANSWER("[") "]",
		ANSWER("[]") "x",
		"{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[]}}",
		"{\"status\":\"success\",\"data\":{\"result\":[]}}",
		"{\"status\":\"pending\",\"data\":{\"resultType\":\"vector\",\"result\":[]}}",
	};
	CLEANUP_BUF struct buf error = { 0 };
	struct seen seen;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_int_equal(read_text(texts[i], &seen, &error), -EBADMSG);
	assert_int_equal(error.length, 0);
	assert_int_equal(read_text("{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":"
				   "\"parse error\"}",
				   &seen, &error),
			 -EREMOTEIO);
	assert_string_equal(buf_text(&error), "parse error");
}

static int find_rule(const char *text)
{
	CLEANUP_BUF struct buf error = { 0 };

	return rules_have(text, strlen(text), "Tenstorrent", &error);
}

TEST(rules_are_found_by_their_name)
{
	static const char groups[] =
		"{\"status\":\"success\",\"data\":{\"groups\":[{\"name\":\"%s\",\"rules\":[{"
		"\"labels\":{\"name\":\"Tenstorrent\"},\"name\":\"%s\"}]}]}}";
	char text[512];

	snprintf(text, sizeof(text), groups, "tt_smi", "TenstorrentDeviceDown");
	assert_int_equal(find_rule(text), 1);
	snprintf(text, sizeof(text), groups, "Tenstorrent", "Other");
	assert_int_equal(find_rule(text), 0);
	assert_int_equal(find_rule("{\"status\":\"success\",\"data\":{\"groups\":[]}}"), 0);
	assert_int_equal(find_rule("{\"status\":\"success\",\"data\":{\"groups\":["), -EBADMSG);
}

static int put_matchers(const char *text, const char *expected)
{
	CLEANUP_BUF struct buf out = { 0 };
	int r = promql_put_matchers(&out, text);

	assert_string_equal(buf_text(&out), expected);
	return r;
}

TEST(label_matchers_are_checked)
{
	static const char *const wrong[] = { "",
					     "rack",
					     "rack=a",
					     "rack=\"a",
					     "1a=\"b\"",
					     "a==\"b\"",
					     "a=\"b\" c=\"d\"",
					     "a=\"b\"}",
					     "a=\"b\"} or up{c=\"d\"",
					     "=\"b\"",
					     "a=\"\\",
					     "a>\"b\"",
					     "a=\"\n\"" };

	assert_int_equal(put_matchers("rack=\"a\"", "rack=\"a\","), 0);
	assert_int_equal(put_matchers(" a = 'b' , c!~\"d\\\"}\",", "a = 'b',c!~\"d\\\"}\","), 0);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_int_equal(put_matchers(wrong[i], ""), -EINVAL);
}

TEST(texts_become_literals_and_patterns)
{
	CLEANUP_BUF struct buf out = { 0 };

	promql_put_string(&out, "a\"b\\c\n\x7f");
	assert_string_equal(buf_text(&out), "\"a\\\"b\\\\c\\x0a\\x7f\"");
	buf_reset(&out);
	promql_put_pattern(&out, "n.1|(x)");
	assert_string_equal(buf_text(&out), "n\\.1\\|\\(x\\)");
	buf_reset(&out);
	promql_put(&out, "a{@} or b{c=\"d\",@}", "x=\"@\",");
	assert_string_equal(buf_text(&out), "a{x=\"@\",} or b{c=\"d\",x=\"@\",}");
}

static int parse_url(const char *text, const char *base, const char *host)
{
	CLEANUP_BUF struct buf error = { 0 };
	struct server_url url = { 0 };
	int code = server_url_parse(text, &url, &error);

	if (code == 0) {
		assert_string_equal(buf_text(&url.base), base);
		assert_string_equal(buf_text(&url.host), host);
	} else {
		assert_true(error.length > 0);
		assert_null(strstr(buf_text(&error), "secret"));
	}
	server_url_done(&url);
	return code;
}

TEST(urls)
{
	static const char *const wrong[] = { "ftp://host/",	    "http://",
					     "http://h/?a=b",	    "http://h/#x",
					     "file:///x",	    "http://u:secret@h/",
					     "http://secret@h:1/x", "http://a b/",
					     "u:secret@h" };

	assert_int_equal(parse_url("http://h:9090", "http://h:9090", "h:9090"), 0);
	assert_int_equal(parse_url("h:9090", "http://h:9090", "h:9090"), 0);
	assert_int_equal(parse_url("https://[::1]:1/prefix//", "https://[::1]:1/prefix", "[::1]:1"),
			 0);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_int_equal(parse_url(wrong[i], "", ""), EXIT_USAGE);
}

static const struct fleet_filter everything = { "", NULL };

static struct fleet_machine *add(struct fleet *fleet, const char *instance, double up,
				 double celsius)
{
	struct fleet_machine *machine = NULL;

	assert_int_equal(fleet_get(fleet, &everything, instance, &machine), 1);
	machine->has_data = true;
	machine->values[MACHINE_DEVICES] = 4;
	machine->values[MACHINE_UP] = up;
	machine->values[MACHINE_TEMPERATURE] = celsius;
	return machine;
}

TEST(machines_are_distinguished_and_named)
{
	static const char *const globs[] = { "node1*", NULL };
	const struct fleet_filter filter = { "", (char *const *)globs };
	struct fleet fleet = { 0 };
	struct fleet_machine *machine = NULL;
	char name[32];

	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 500; i++) {
			snprintf(name, sizeof(name), "node%d:7762", i);
			assert_int_equal(fleet_get(&fleet, &everything, name, &machine), 1);
			assert_string_equal(machine->instance, name);
			name[strlen(name) - 5] = '\0';
			assert_string_equal(machine->name, name);
		}
	assert_int_equal(fleet.count, 500);
	assert_int_equal(fleet_get(&fleet, &everything, "", &machine), 0);
	fleet_done(&fleet);
	assert_int_equal(fleet_get(&fleet, &filter, "node2:7762", &machine), 0);
	assert_int_equal(fleet_get(&fleet, &filter, "node12:7762", &machine), 1);
	assert_int_equal(fleet_get(&fleet, &filter, ":7762", &machine), 0);
	fleet_done(&fleet);
}

TEST(what_needs_attention_comes_first)
{
	static const char *const order[] = {
		"gone", "alerts", "hot", "node2", "node10", "unknown"
	};
	struct fleet fleet = { 0 };
	struct fleet_machine *machine;

	add(&fleet, "node10", 4, 50);
	add(&fleet, "unknown", 4, NAN);
	add(&fleet, "hot", 4, 80);
	add(&fleet, "node2", 4, 50);
	add(&fleet, "gone", 4, NAN)->has_data = false;
	machine = add(&fleet, "alerts", 4, 30);
	assert_int_equal(machine_add_alert(machine, "TenstorrentDeviceDown", "critical", "3"), 0);
	fleet_sort(&fleet, ORDER_ATTENTION);
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		assert_string_equal(fleet.machines[i].instance, order[i]);
	/* Each is still found by its name. */
	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		assert_int_equal(fleet_get(&fleet, &everything, order[i], &machine), 1);
		assert_ptr_equal(machine, &fleet.machines[i]);
	}
	assert_string_equal(fleet_hottest(&fleet)->instance, "hot");
	fleet_done(&fleet);
}

static void expect_order(struct fleet *fleet, enum fleet_order order, const char *names)
{
	CLEANUP_BUF struct buf text = { 0 };

	fleet_sort(fleet, order);
	for (size_t i = 0; i < fleet->count; i++)
		buf_puts(&text, fleet->machines[i].name);
	assert_string_equal(buf_text(&text), names);
}

TEST(machines_are_sorted_from_the_highest_value_and_unknown_ones_come_last)
{
	static const enum machine_value values[] = { MACHINE_TEMPERATURE, MACHINE_POWER,
						     MACHINE_DRAM_USED };
	static const double numbers[][3] = { { 50, 300, NAN }, { NAN, 200, 3 }, { 70, 100, 2 } };
	struct fleet fleet = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		const char name[] = { (char)('a' + i), '\0' };
		struct fleet_machine *machine = add(&fleet, name, 4, NAN);

		machine->values[MACHINE_DRAM_SIZE] = 4;
		for (size_t k = 0; k < ARRAY_SIZE(values); k++)
			machine->values[values[k]] = numbers[i][k];
	}
	expect_order(&fleet, ORDER_TEMPERATURE, "cab");
	expect_order(&fleet, ORDER_POWER, "abc");
	expect_order(&fleet, ORDER_DRAM, "bca");
	expect_order(&fleet, ORDER_NAME, "abc");
	fleet_done(&fleet);
}

TEST(totals_add_up_and_unknown_is_not_0)
{
	struct fleet fleet = { .knows_alerts = true };
	CLEANUP_BUF struct buf text = { 0 };
	struct fleet_totals totals;

	add(&fleet, "a", 4, 60)->values[MACHINE_EXPECTED] = 6;
	add(&fleet, "b", 3, 50)->values[MACHINE_EXPECTED] = 2;
	fleet.machines[0].values[MACHINE_POWER] = 1500;
	add(&fleet, "c", 9, 99)->has_data = false;
	fleet.machines[2].values[MACHINE_DEVICES] = fleet.machines[2].values[MACHINE_TEMPERATURE] =
		NAN;
	fleet_total(&fleet, &totals);
	assert_int_equal(totals.machines, 3);
	assert_int_equal(totals.without_data, 1);
	assert_near(totals.values[MACHINE_UP], 7);
	assert_near(totals.target,
		    10); /* 6 expected in a; of b, all 4 that it has, though it expects 2 */
	assert_near(totals.values[MACHINE_TEMPERATURE], 60);
	assert_near(totals.values[MACHINE_POWER], 1500);
	assert_true(totals.partly[MACHINE_POWER] && !totals.partly[MACHINE_UP]);
	assert_true(isnan(totals.values[MACHINE_DRAM_USED]));
	fleet_put_totals(&text, &fleet, true);
	assert_string_equal(buf_text(&text), "3 machines   7 of 10 devices up   1 without data   "
					     "≥1.5kW   hottest 60°C (a)   0 alerts");
	fleet_done(&fleet);
}

TEST(alerts_are_listed_once_with_their_devices)
{
	CLEANUP_BUF struct buf text = { 0 };
	struct fleet_machine machine;

	assert_int_equal(machine_init(&machine, "a"), 0);
	assert_int_equal(machine_add_alert(&machine, "TenstorrentDeviceDown", "", "19"), 0);
	assert_int_equal(machine_add_alert(&machine, "TenstorrentDeviceMissing", "", ""), 0);
	assert_int_equal(machine_add_alert(&machine, "TenstorrentDeviceDown", "", "3"), 0);
	assert_int_equal(machine_add_alert(&machine, "Tenstorrent", "", ""), 0);
	assert_int_equal(machine_add_alert(&machine, "TenstorrentDeviceDown", "", "19"), 0);
	machine_sort_alerts(&machine);
	assert_int_equal(machine.n_alerts, 4);
	machine_put_alerts(&text, &machine);
	assert_string_equal(buf_text(&text), "tenstorrent; device down 3,19; device missing");
	machine_done(&machine);
}

TEST(csv_quotes_what_would_break_a_line)
{
	CLEANUP_BUF struct buf text = { 0 };

	csv_put_text(&text, "plain");
	buf_putc(&text, ',');
	csv_put_text(&text, "a,\"b\"\n\x1b[31m");
	assert_string_equal(buf_text(&text), "plain,\"a,\"\"b\"\"\xef\xbf\xbd\xef\xbf\xbd[31m\"");
}

TEST(owners_are_added_up_over_machines)
{
	static const char *const job[] = { "slurm", "lin", "812", "", "", "", "" };
	static const char *const named[] = { "slurm", "lin", "812", "train", "", "", "" };
	static const char *const server[] = { "pod", "maya", "", "", "prod", "llama", "server" };
	static const char *const sidecar[] = { "pod", "maya", "", "", "prod", "llama", "sidecar" };
	CLEANUP_BUF struct buf name = { 0 };
	struct who who = { 0 };

	assert_int_equal(who_add(&who, server, 3, OWNED_DEVICES, 1), 0);
	assert_int_equal(who_add(&who, job, 1, OWNED_DEVICES, 4), 0);
	assert_int_equal(who_add(&who, job, 2, OWNED_DEVICES, 2), 0);
	assert_int_equal(who_add(&who, job, 1, OWNED_QUIET, 90), 0);
	assert_int_equal(who_add(&who, named, 2, OWNED_QUIET, 30), 0);
	assert_int_equal(who_add(&who, sidecar, 3, OWNED_DEVICES, 1), 0);
	who_sort(&who);
	assert_int_equal(who.count, 2);
	assert_string_equal(who.owners[0].texts[OWNED_USER], "lin");
	assert_string_equal(who.owners[0].texts[OWNED_SLURM_JOB_NAME], "train");
	assert_int_equal(who.owners[0].n_machines, 2);
	assert_near(who.owners[0].values[OWNED_DEVICES], 6);
	assert_near(who.owners[0].values[OWNED_QUIET], 30);
	assert_true(isnan(who.owners[0].values[OWNED_DRAM]));
	assert_near(who.owners[1].values[OWNED_DEVICES], 2);
	assert_int_equal(who.owners[1].n_machines, 1);
	owner_put_name(&name, &who.owners[1]);
	assert_string_equal(buf_text(&name), "prod/llama (pod)");
	who_done(&who);
}

TEST(chips_are_kept_by_machine_and_number)
{
	struct chip_page page = { 0 };
	const struct chip_row *row;

	assert_int_equal(chip_page_set(&page, "a", "10", CHIP_UP, 1), 0);
	assert_int_equal(chip_page_set(&page, "b", "0", CHIP_UP, 0), 0);
	assert_int_equal(chip_page_set(&page, "a", "2", CHIP_POWER, 70), 0);
	assert_int_equal(chip_page_set(&page, "a", "10", CHIP_TEMPERATURE, 60), 0);
	chip_page_sort(&page);
	assert_int_equal(page.count, 2);
	assert_null(chip_page_find(&page, "c"));
	row = chip_page_find(&page, "a");
	assert_int_equal(row->count, 2);
	assert_string_equal(row->chips[0].device, "2");
	assert_string_equal(row->chips[1].device, "10");
	assert_near(row->chips[1].values[CHIP_TEMPERATURE], 60);
	assert_true(isnan(row->chips[0].values[CHIP_UP]));
	chip_page_done(&page);
}

TEST(numbers_of_a_server_become_whole_ones_without_overflow)
{
	assert_int_equal(number_to_u64(41.9), 41);
	assert_int_equal(number_to_u64(-1), 0);
	assert_int_equal(number_to_u64(NAN), 0);
	assert_int_equal(number_to_u64(-INFINITY), 0);
	assert_true(number_to_u64(INFINITY) == UINT64_MAX);
	assert_true(number_to_u64(1e300) == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_vector_has_labels_and_values),
		cmocka_unit_test(numbers_of_a_server_become_whole_ones_without_overflow),
		cmocka_unit_test(other_answers_are_refused),
		cmocka_unit_test(rules_are_found_by_their_name),
		cmocka_unit_test(label_matchers_are_checked),
		cmocka_unit_test(texts_become_literals_and_patterns),
		cmocka_unit_test(urls),
		cmocka_unit_test(machines_are_distinguished_and_named),
		cmocka_unit_test(what_needs_attention_comes_first),
		cmocka_unit_test(
			machines_are_sorted_from_the_highest_value_and_unknown_ones_come_last),
		cmocka_unit_test(totals_add_up_and_unknown_is_not_0),
		cmocka_unit_test(alerts_are_listed_once_with_their_devices),
		cmocka_unit_test(chips_are_kept_by_machine_and_number),
		cmocka_unit_test(owners_are_added_up_over_machines),
		cmocka_unit_test(csv_quotes_what_would_break_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
