/* Parts of tt_smi sim that need no file: boards, versions, specs, physics, formats. */
#include "attr.h"
#include "board.h"
#include "fault.h"
#include "physics.h"
#include "schedule.h"
#include "spec.h"
#include "version.h"
#include "worker.h"
#include "workload.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct version version_of(const char *text)
{
	struct version v;

	assert_int_equal(version_parse(text, &v), 0);
	return v;
}

static void versions_are_parsed_whole_or_not_at_all(void **state)
{
	static const char *const bad[] = { "",	   "2",	    "2.",	 ".2",	"2.x",
					   "2.1.", "2.256", "1.2.3.4.5", "2.1 " };
	struct version v = version_of("2.10.1-pre");

	(void)state;
	assert_int_equal(v.part[1], 10);
	assert_string_equal(v.text, "2.10.1-pre");
	assert_true(version_at_least(&v, 2, 9));
	assert_true(version_at_least(&v, 1, 34));
	assert_false(version_at_least(&v, 2, 11));
	assert_false(version_at_least(&v, 3, 0));
	v = version_of("18.12.0.0");
	assert_int_equal(version_pack(&v), 0x120c0000);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_not_equal(version_parse(bad[i], &v), 0);
}

static void bytes_have_units(void **state)
{
	uint64_t n = 7;

	(void)state;
	assert_int_equal(spec_bytes("0", &n), 0);
	assert_int_equal(n, 0);
	assert_int_equal(spec_bytes("64K", &n), 0);
	assert_int_equal(n, 65536);
	assert_int_equal(spec_bytes("12G", &n), 0);
	assert_int_equal(n, UINT64_C(12) << 30);
	assert_int_not_equal(spec_bytes("", &n), 0);
	assert_int_not_equal(spec_bytes("K", &n), 0);
	assert_int_not_equal(spec_bytes("1KB", &n), 0);
	assert_int_not_equal(spec_bytes("-1", &n), 0);
	assert_int_not_equal(spec_bytes("18446744073709551615K", &n), 0);
	assert_int_equal(n, UINT64_C(12) << 30);
}

static void seconds_have_decimals(void **state)
{
	int64_t ms = 0;

	(void)state;
	assert_int_equal(spec_seconds("2", &ms), 0);
	assert_int_equal(ms, 2000);
	assert_int_equal(spec_seconds("0.25", &ms), 0);
	assert_int_equal(ms, 250);
	assert_int_equal(spec_seconds("1.005", &ms), 0);
	assert_int_equal(ms, 1005);
	assert_int_not_equal(spec_seconds("1.", &ms), 0);
	assert_int_not_equal(spec_seconds(".5", &ms), 0);
	assert_int_not_equal(spec_seconds("1.2345", &ms), 0);
	assert_int_not_equal(spec_seconds("1s", &ms), 0);
}

static void faults_are_read(void **state)
{
	struct fault f;

	(void)state;
	assert_int_equal(fault_parse("gone:12@1.5-3", &f), 0);
	assert_int_equal(f.kind, FAULT_GONE);
	assert_int_equal(f.number, 12);
	assert_true(fault_needs_fuse(&f));
	assert_false(fault_is_active(&f, 1499));
	assert_true(fault_is_active(&f, 1500));
	assert_false(fault_is_active(&f, 3000));
	assert_int_equal(fault_parse("slow:0/temp1_input=250", &f), 0);
	assert_int_equal(f.amount, 250);
	assert_string_equal(f.attr, "temp1_input");
	assert_true(fault_is_active(&f, 1000000));
	assert_int_equal(fault_parse("errors:2/upstream.aer_dev_fatal=7", &f), 0);
	assert_int_equal(f.number, 2);
	assert_int_equal(f.amount, 7);
	assert_string_equal(f.attr, "upstream.aer_dev_fatal");
	assert_int_equal(fault_parse("log:1=aer", &f), 0);
	assert_string_equal(f.text, "aer");
	assert_int_equal(fault_parse("bars:1", &f), 0);
	assert_true(fault_parse("errors:2/aer_dev_fatal", &f) < 0);
	assert_int_equal(fault_parse("dead:1", &f), 0);
	assert_false(fault_needs_fuse(&f));
	assert_int_equal(fault_parse("set:1/tt_card_type=a=b", &f), 0);
	assert_string_equal(f.text, "a=b");
}

static void faults_that_make_no_sense_are_refused(void **state)
{
	static const char *const bad[] = {
		"",	   ":",		 "dead:",      "dead:x",   "dead:1/x",
		"eio:1",   "eio:1/",	 "eio:1/a/b",  "slow:1/a", "slow:1/a=x",
		"gone:1@", "gone:1@3-2", "gone:1@3-3", "wrong:1",  "dead:4294967296"
	};
	struct fault f;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_not_equal(fault_parse(bad[i], &f), 0);
}

static void workloads_are_read(void **state)
{
	struct workload w;
	char error[128], comm[16];

	(void)state;
	assert_int_equal(
		workload_parse(
			"dev=0+3,dram=2G,l1=1M,via=none,name=/a/very_long_program_name,life=2.5",
			&w, error),
		0);
	assert_int_equal(w.device_count, 2);
	assert_int_equal(w.devices[1], 3);
	assert_int_equal(w.bytes[POOL_DRAM], UINT64_C(2) << 30);
	assert_int_equal(w.via, VIA_NONE);
	assert_int_equal(w.opens, 1);
	assert_int_equal(w.util, -1);
	assert_int_equal(w.lifetime_ms, 2500);
	workload_comm(&w, comm);
	assert_string_equal(comm, "very_long_progr");
	assert_int_not_equal(workload_parse("dev=0,via=smoke", &w, error), 0);
	assert_string_equal(error, "\"via=smoke\" is not valid");
	assert_int_not_equal(workload_parse("dev=+", &w, error), 0);
	assert_int_not_equal(workload_parse("util=1001", &w, error), 0);
}

static void a_leak_starts_again_when_memory_is_full(void **state)
{
	struct worker_job job = { .leak_room = 10 << 20, .workload.leak = 1 << 20 };
	uint64_t bytes[POOLS];

	(void)state;
	job.workload.bytes[POOL_DRAM] = 4096;
	worker_amounts(&job, 5000, bytes);
	assert_int_equal(bytes[POOL_DRAM], (5 << 20) + 4096);
	worker_amounts(&job, 11000, bytes);
	assert_int_equal(bytes[POOL_DRAM], (1 << 20) + 4096);
	job.leak_room = 0;
	worker_amounts(&job, 11000, bytes);
	assert_int_equal(bytes[POOL_DRAM], 4096);
}

static void default_workloads_fit_every_board(void **state)
{
	static const char *const boards[] = {
		"n150",	      "n300",	    "p100a",	       "p300",
		"n150,p150a", "p150a,n150", "galaxy-wormhole", "4xn150"
	};
	struct version driver = version_of("2.10.1");
	static struct workload workloads[MAX_WORKLOADS];
	struct slot slots[MAX_DEVICES];
	char error[128];

	(void)state;
	for (size_t b = 0; b < ARRAY_SIZE(boards); b++) {
		int count = board_list_parse(boards[b], &driver, 1, slots, error);
		size_t n;

		assert_true(count > 0);
		n = workload_defaults(slots, (size_t)count, workloads);
		for (int i = 0; i < count; i++) {
			uint64_t dram = 0, l1 = 0;

			for (size_t w = 0; w < n; w++) {
				if (!workload_uses(&workloads[w], slots[i].number))
					continue;
				dram += workload_dram(&workloads[w]);
				l1 += workloads[w].bytes[POOL_L1] +
				      workloads[w].bytes[POOL_L1_SMALL];
			}
			assert_in_range(dram, 0, board_dram(slots[i].board) * 9 / 10);
			assert_in_range(l1, 0, (uint64_t)slots[i].board->tensix * 1499136);
		}
		assert_true(workloads[0].bytes[POOL_DRAM] > 1ull << 30);
	}
}

static void devices_on_the_same_bus_are_refused(void **state)
{
	struct version driver = version_of("2.10.1");
	struct slot slots[MAX_DEVICES];
	char error[128];

	(void)state;
	assert_int_equal(board_list_parse("n150@ff,n150", &driver, 1, slots, error), 2);
	assert_int_equal(slots[1].bus, 1);
	assert_int_equal(slots[0].logical, 1);
	assert_int_not_equal(board_list_parse("2xn150@ff", &driver, 1, slots, error), 2);
	assert_true(board_list_parse("galaxy-wormhole,galaxy-blackhole", &driver, 1, slots, error) <
		    0);
	assert_true(board_list_parse("n150,,n150", &driver, 1, slots, error) < 0);
	assert_int_equal(board_list_parse("galaxy-wormhole,32xn300", &driver, 1, slots, error), 64);
	for (int i = 0; i < 64; i++)
		for (int j = 0; j < i; j++) {
			assert_int_not_equal(slots[i].bus, slots[j].bus);
			assert_int_not_equal(slots[i].number, slots[j].number);
			assert_int_not_equal(slots[i].root_bus << 8 | slots[i].port,
					     slots[j].root_bus << 8 | slots[j].port);
		}
}

static const char *text_of(struct machine *m, struct sim_device *d, const char *name,
			   struct buf *out)
{
	buf_reset(out);
	for (size_t i = 0; i < attr_count; i++)
		if (!strcmp(attrs[i].name, name))
			attr_print(m, d, &attrs[i], out);
	return buf_text(out);
}

static void arithmetic_is_32_bits_wide(void **state)
{
	static struct machine m; /* big */
	struct sim_device *d = &m.devices[0];
	struct buf out = { 0 };

	(void)state;
	m.opt.driver = version_of("2.10.1");
	d->slot.board = board_find("p150a", 5);
	d->words[T_WATTS] = 5000;
	assert_string_equal(text_of(&m, d, "power1_input", &out), "705032704\n");
	d->words[T_TEMP] = 0xffe00000;
	assert_string_equal(text_of(&m, d, "temp1_input", &out), "65504000\n");
	d->words[T_ETHFW] = 0x00072000;
	assert_string_equal(text_of(&m, d, "tt_eth_fw_ver", &out), "7.2.0\n");
	d->words[T_SERIAL_HIGH] = 0x00000403;
	d->words[T_SERIAL_LOW] = 0x31914049;
	assert_string_equal(text_of(&m, d, "tt_serial", &out), "0000040331914049\n");
	assert_string_equal(text_of(&m, d, "tt_card_type", &out), "p150a\n");
	buf_done(&out);
}

static void physics_stays_within_limits(void **state)
{
	static struct machine m;
	struct sim_device *d = &m.devices[0];
	static const char *const names[] = { "n150", "p150a", "p150c", "galaxy-wormhole" };

	(void)state;
	m.opt.firmware = version_of("19.8.0.0");
	m.opt.seed = 3;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		memset(d, 0, sizeof(*d));
		d->slot.board = board_find(names[i], strlen(names[i]));
		d->slot.width = d->slot.board->link_width;
		m.now_ms = 0;
		m.opt.load = 0;
		physics_init(&m, d);
		m.opt.load = 100;
		for (int step = 0; step < 3000; step++, m.now_ms += 100) {
			physics_step(&m, d, 0.1);
			assert_true(d->words[T_WATTS] <= d->words[T_WATTS_MAX]);
			assert_true(d->words[T_AMPERES] <= d->words[T_AMPERES_MAX]);
			assert_true(d->words[T_TEMP] >> 16 < d->words[T_TEMP_MAX]);
			assert_true(d->words[T_MILLIVOLTS] <= d->words[T_VOLT_LIMITS] >> 16);
		}
		assert_true(d->words[T_WATTS] > d->words[T_WATTS_MAX] * 7 / 10);
	}
}

static void heartbeats_and_counters_keep_time_and_wrap(void **state)
{
	static struct machine m;
	struct sim_device *d = &m.devices[0];
	uint32_t beats, counters[ARRAY_SIZE(d->counters)];

	(void)state;
	m.opt.firmware = version_of("19.8.0.0");
	m.opt.load = 100;
	d->slot.board = board_find("p150a", 5);
	d->slot.width = d->slot.board->link_width;
	physics_init(&m, d);
	beats = d->words[T_HEARTBEAT];
	memcpy(counters, d->counters, sizeof(counters));
	for (int step = 0; step < 30; step++, m.now_ms += 100)
		physics_step(&m, d, 0.1);
	assert_in_range(d->words[T_HEARTBEAT] - beats, 29, 30); /* ten in a second */
	assert_true(d->counters[0] > counters[0]);
	assert_true(counters[2] > UINT32_MAX / 10 * 9);
	assert_true(d->counters[2] < UINT32_MAX / 10);
}

static struct schedule schedule_of(const char *spec, bool waits)
{
	struct schedule schedule;
	struct workload w;
	char error[128];

	assert_int_equal(workload_parse(spec, &w, error), 0);
	schedule_init(&schedule, &w, waits);
	return schedule;
}

static void programs_follow_their_schedule(void **state)
{
	enum { MS = 1000000 };
	struct schedule s = schedule_of("busy=80,rate=100", false);

	(void)state;
	assert_int_equal(schedule_start(&s, 0), 2 * MS);
	assert_int_equal(schedule_end(&s, 0), 10 * MS);
	assert_int_equal(schedule_start(&s, 7), 72 * MS);
	assert_int_equal(s.group, 1);
	assert_true(s.count == UINT64_MAX);
	assert_int_equal(schedule_progress(&s, 5000 * INT64_C(1000000)), 5000 * INT64_C(1000000));
	/* A program that starts with the end of the last one, and never ends. */
	s = schedule_of("busy=100,rate=3,hang=1", false);
	assert_int_equal(schedule_start(&s, 1), schedule_end(&s, 0));
	assert_int_equal(s.hung, 3);
	assert_int_equal(schedule_progress(&s, 900 * MS), 900 * MS);
	assert_int_equal(schedule_progress(&s, 9000 * INT64_C(1000000)), 1000 * MS + 1);
	s = schedule_of("busy=50,rate=100,until=0.25", false);
	assert_int_equal(s.count, 25);
	s = schedule_of("busy=0,rate=100", false);
	assert_int_equal(s.count, 0);
	/* Groups of programs, four times a second or less. */
	s = schedule_of("busy=80,rate=100", true);
	assert_int_equal(s.group, 25);
	assert_int_equal(schedule_start(&s, 1), 300 * MS);
	assert_int_equal(schedule_end(&s, 1), 500 * MS);
	s = schedule_of("busy=80,rate=2", true);
	assert_int_equal(s.group, 1);
	assert_int_equal(schedule_end(&s, 0), 500 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_are_parsed_whole_or_not_at_all),
		cmocka_unit_test(bytes_have_units),
		cmocka_unit_test(seconds_have_decimals),
		cmocka_unit_test(faults_are_read),
		cmocka_unit_test(faults_that_make_no_sense_are_refused),
		cmocka_unit_test(workloads_are_read),
		cmocka_unit_test(programs_follow_their_schedule),
		cmocka_unit_test(a_leak_starts_again_when_memory_is_full),
		cmocka_unit_test(default_workloads_fit_every_board),
		cmocka_unit_test(devices_on_the_same_bus_are_refused),
		cmocka_unit_test(arithmetic_is_32_bits_wide),
		cmocka_unit_test(physics_stays_within_limits),
		cmocka_unit_test(heartbeats_and_counters_keep_time_and_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
