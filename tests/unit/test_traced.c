/* The texts that the kernel writes: parsed completely, or rejected. */
#include "proto/traced.h"
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define HEAD                                                                                \
	"PID      Comm             DRAM       L1         L1_SMALL   TRACE      BUFFERS    " \
	"SYSTEM     CHIP  START        STATE\n"                                             \
	"-------- ---------------- ---------- ---------- ---------- ---------- ---------- " \
	"---------- ----- ------------ -----\n"
#define LINE                                                                                      \
	"1234     python3          4096       2048       64         32         7          0     " \
	"     3     987654       exact\n"
#define NONE  "77       idle_one         0 0 0 0 0 0 - 5 since-attach\n"
#define TOTAL "\nTOTAL    -                4096       2048       64         32         7 0 - - -\n"

#define HOLDER_HEAD                                                  \
	"PID      Comm             DEVICE   FD       START       \n" \
	"-------- ---------------- -------- -------- ------------\n"
#define ROLE_HEAD                                                         \
	"PID      Comm             DEVICE   FD       START        ROLE\n" \
	"-------- ---------------- -------- -------- ------------ ----\n"
#define HOLDER "1234     python3          0        17       987654      \n"

#define DEATH_HEAD                                                       \
	"DEVICE   SINCE        PID      Comm             SIGNAL ENDED\n" \
	"-------- ------------ -------- ---------------- ------ -----\n"
#define ALIVE "0        100          -        -                -      -\n"
#define DEATH "12       200          1234     python3          9      98765\n"

static struct traced_death *deaths;
static struct traced_memory *memory;
static struct traced_holder *holders;
static size_t count;

static int forget(void **state)
{
	(void)state;
	free(memory);
	free(holders);
	free(deaths);
	deaths = NULL;
	memory = NULL;
	holders = NULL;
	count = 99;
	return 0;
}

static int parse(const char *text)
{
	forget(NULL);
	return traced_parse_allocations(text, &memory, &count);
}

static int parse_holders(const char *text)
{
	forget(NULL);
	return traced_parse_holders(text, &holders, &count);
}

static int parse_deaths(const char *text)
{
	forget(NULL);
	return traced_parse_deaths(text, &deaths, &count);
}

TEST(deaths_have_a_line_per_device)
{
	assert_int_equal(parse_deaths(DEATH_HEAD ALIVE DEATH), 0);
	assert_int_equal(count, 2);
	assert_false(deaths[0].has_death);
	assert_int_equal(deaths[0].since_ticks, 100);
	assert_true(deaths[1].has_death);
	assert_int_equal(deaths[1].device, 12);
	assert_int_equal(deaths[1].since_ticks, 200);
	assert_int_equal(deaths[1].pid, 1234);
	assert_string_equal(deaths[1].comm, "python3");
	assert_int_equal(deaths[1].signal, 9);
	assert_int_equal(deaths[1].ended_ticks, 98765);
	assert_int_equal(parse_deaths(DEATH_HEAD), 0);
	assert_int_equal(count, 0);
}

TEST(malformed_deaths_are_rejected)
{
	static const char *const bad[] = {
		"",
		DEATH_HEAD "0 100 - - - 5\n",
		DEATH_HEAD "0 100 7 a - 5\n",
		DEATH_HEAD "0 100 7 a 128 5\n",
		DEATH_HEAD "0 100 7 a 9\n",
		DEATH_HEAD "0 100 7 a 9 5 6\n",
		DEATH_HEAD "-1 100 7 a 9 5\n",
		DEATH_HEAD "0 100 0 a 9 5\n",
		DEATH_HEAD "0 100 7 a 9 5",
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(parse_deaths(bad[i]), -EBADMSG);
	assert_int_equal(parse_deaths(HOLDER_HEAD), -EPROTONOSUPPORT);
}

TEST(a_line_has_every_figure)
{
	assert_int_equal(parse(HEAD LINE TOTAL), 0);
	assert_int_equal(count, 1);
	assert_int_equal(memory->pid, 1234);
	assert_string_equal(memory->comm, "python3");
	assert_int_equal(memory->bytes[POOL_DRAM], 4096);
	assert_int_equal(memory->bytes[POOL_L1], 2048);
	assert_int_equal(memory->bytes[POOL_L1_SMALL], 64);
	assert_int_equal(memory->bytes[POOL_TRACE], 32);
	assert_int_equal(memory->buffers, 7);
	assert_int_equal(memory->bytes[POOL_SYSTEM], 0);
	assert_true(memory->has_chip);
	assert_int_equal(memory->chip, 3);
	assert_int_equal(memory->start_ticks, 987654);
	assert_int_equal(memory->state, TRACED_EXACT);
	assert_int_equal(memory->fault, TRACE_FAULT_NONE);
}

TEST(a_process_that_allocated_nothing_has_no_chip)
{
	assert_int_equal(parse(HEAD NONE LINE TOTAL), 0);
	assert_int_equal(count, 2);
	assert_false(memory[0].has_chip);
	assert_int_equal(memory[0].state, TRACED_SINCE_ATTACH);
	assert_int_equal(memory[1].pid, 1234);
}

TEST(a_text_without_processes_is_complete)
{
	assert_int_equal(parse(HEAD TOTAL), 0);
	assert_int_equal(count, 0);
	assert_int_equal(parse_holders(HOLDER_HEAD), 0);
	assert_int_equal(count, 0);
}

TEST(each_fault_has_its_word)
{
	static const char *const words[TRACE_FAULT_N] = {
		[TRACE_FAULT_UNKNOWN_SHAPE] = "unknown-shape",
		[TRACE_FAULT_SINGLE_STEP] = "single-step",
		[TRACE_FAULT_MISSED_FREE] = "missed-free",
		[TRACE_FAULT_MAP_FULL] = "map-full",
		[TRACE_FAULT_NO_THROW] = "no-throw",
		[TRACE_FAULT_MESH] = "mesh",
		[TRACE_FAULT_NO_ANSWER] = "no-answer",
	};

	for (enum trace_fault i = TRACE_FAULT_NONE + 1; i < TRACE_FAULT_N; i++) {
		char text[1024];

		snprintf(text, sizeof(text), HEAD "1 - 0 0 0 0 0 0 0 1 unreliable:%s\n" TOTAL,
			 words[i]);
		assert_int_equal(parse(text), 0);
		assert_int_equal(memory->state, TRACED_UNRELIABLE);
		assert_int_equal(memory->fault, i);
		assert_string_equal(memory->comm, "");
	}
}

TEST(many_lines_are_many_processes)
{
	static char text[200000];
	int length = snprintf(text, sizeof(text), HEAD);

	for (int i = 1; i <= 1000; i++)
		length += snprintf(text + length, sizeof(text) - (size_t)length,
				   "%d p 1 2 3 4 5 6 0 %d exact\n", i, i * 2);
	strcat(text, TOTAL);
	assert_int_equal(parse(text), 0);
	assert_int_equal(count, 1000);
	assert_int_equal(memory[999].pid, 1000);
	assert_int_equal(memory[999].start_ticks, 2000);
}

/* A text truncated anywhere is rejected, except for the last newline. */
TEST(a_truncated_text_is_rejected)
{
	static const char whole[] = HEAD NONE LINE TOTAL;

	for (size_t i = 0; i < strlen(whole); i++) {
		char text[sizeof(whole)];

		memcpy(text, whole, i);
		text[i] = '\0';
		assert_true(parse(text) < 0);
		assert_int_equal(count, 99);
	}
}

TEST(malformed_texts_are_rejected)
{
	static const char *const bad[] = {
		"",
		HEAD,
		HEAD LINE,
		HEAD LINE TOTAL "more\n",
		HEAD LINE "\n\nTOTAL - 0 0 0 0 0 0 - - -\n",
		HEAD "0 a 0 0 0 0 0 0 0 1 exact\n" TOTAL,
		HEAD "-5 a 0 0 0 0 0 0 0 1 exact\n" TOTAL,
		HEAD "2147483648 a 0 0 0 0 0 0 0 1 exact\n" TOTAL,
		HEAD "1 seventeen_letters 0 0 0 0 0 0 0 1 exact\n" TOTAL,
		HEAD "1 a 18446744073709551616 0 0 0 0 0 0 1 exact\n" TOTAL,
		HEAD "1 a 1K 0 0 0 0 0 0 1 exact\n" TOTAL,
		HEAD "1 a 0 0 0 0 0 0 64 1 exact\n" TOTAL,
		HEAD "1 a 0 0 0 0 0 0 -1 1 exact\n" TOTAL,
		HEAD "1 a 0 0 0 0 0 0 0 1 fine\n" TOTAL,
		HEAD "1 a 0 0 0 0 0 0 0 1 unreliable:\n" TOTAL,
		HEAD "1 a 0 0 0 0 0 0 0 1 unreliable:weather\n" TOTAL,
		HEAD "1 a 0 0 0 0 0 0 0 1 unreliable\n" TOTAL,
		HEAD "1 a 0 0 0 0 0 0 0 1 exact more\n" TOTAL,
		HEAD "1 a 0 0 0 0 0 0 0 exact\n" TOTAL,
		HEAD "\nTOTAL - 0 0 0 0 0 - - - -\n",
		HEAD "\nTOTAL - 0 0 0 0 0 0 0 - -\n",
		HEAD "\nSUM - 0 0 0 0 0 0 - - -\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(parse(bad[i]), -EBADMSG);
		assert_null(memory);
	}
}

TEST(other_columns_are_another_version)
{
	assert_int_equal(parse("PID Comm DRAM\n--- ---- ----\n"), -EPROTONOSUPPORT);
	assert_int_equal(parse(HOLDER_HEAD HOLDER), -EPROTONOSUPPORT);
	assert_int_equal(parse_holders(HEAD LINE TOTAL), -EPROTONOSUPPORT);
}

TEST(a_holder_has_device_and_descriptor)
{
	assert_int_equal(parse_holders(HOLDER_HEAD HOLDER HOLDER), 0);
	assert_int_equal(count, 2);
	assert_int_equal(holders->pid, 1234);
	assert_string_equal(holders->comm, "python3");
	assert_int_equal(holders->device, 0);
	assert_int_equal(holders->fd, 17);
	assert_int_equal(holders->start_ticks, 987654);
}

TEST(a_holder_has_a_role_unless_the_tracer_is_older)
{
	assert_int_equal(parse_holders(HOLDER_HEAD HOLDER), 0);
	assert_int_equal(holders[0].role, TRACED_ROLE_UNKNOWN);
	assert_int_equal(parse_holders(ROLE_HEAD "1 a 0 17 5 -\n2 monitor 0 17 6 job\n"
						 "3 c 1 17 7 monitor\n"),
			 0);
	assert_int_equal(count, 3);
	assert_int_equal(holders[0].role, TRACED_ROLE_UNKNOWN);
	assert_int_equal(holders[1].role, TRACED_ROLE_JOB);
	assert_int_equal(holders[2].role, TRACED_ROLE_MONITOR);
	assert_int_equal(parse_holders("PID Comm DEVICE FD START ROLE MORE\n---\n"),
			 -EPROTONOSUPPORT);
}

TEST(malformed_holders_are_rejected)
{
	static const char *const bad[] = {
		"",
		HOLDER_HEAD "1234 python3 0 17\n",
		HOLDER_HEAD "1234 python3 0 17 5 6\n",
		HOLDER_HEAD "1234 python3 - 17 5\n",
		HOLDER_HEAD "1234 python3 0 17 5",
		HOLDER_HEAD "\n",
		HOLDER_HEAD HOLDER "0 a 0 0 0\n",
		ROLE_HEAD "1 a 0 17 5\n",
		ROLE_HEAD "1 a 0 17 5 king\n",
		ROLE_HEAD "1 a 0 17 5 monitor -\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(parse_holders(bad[i]), -EBADMSG);
		assert_null(holders);
	}
}

#define AFTER(test) cmocka_unit_test_teardown(test, forget)

int main(void)
{
	const struct CMUnitTest tests[] = {
		AFTER(deaths_have_a_line_per_device),
		AFTER(malformed_deaths_are_rejected),
		AFTER(a_line_has_every_figure),
		AFTER(a_process_that_allocated_nothing_has_no_chip),
		AFTER(a_text_without_processes_is_complete),
		AFTER(each_fault_has_its_word),
		AFTER(many_lines_are_many_processes),
		AFTER(a_truncated_text_is_rejected),
		AFTER(malformed_texts_are_rejected),
		AFTER(other_columns_are_another_version),
		AFTER(a_holder_has_device_and_descriptor),
		AFTER(a_holder_has_a_role_unless_the_tracer_is_older),
		AFTER(malformed_holders_are_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
