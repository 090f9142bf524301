/*
 * Fuzzes the parsers of the tracer's pinned files. Few inputs have the headings: each is also tried
 * after valid ones.
 */
#include "fuzz.h"

#include "proto/traced.h"

#include <errno.h>

static const char memory_head[] =
	"PID Comm DRAM L1 L1_SMALL TRACE BUFFERS SYSTEM CHIP START STATE\n- -\n";
static const char memory_tail[] = "\nTOTAL - 0 0 0 0 0 0 - - -\n";
static const char death_head[] = "DEVICE SINCE PID Comm SIGNAL ENDED\n- -\n";
static const char holder_head[] = "PID Comm DEVICE FD START\n- -\n";

static bool is_refused(int r)
{
	return r == -EBADMSG || r == -EPROTONOSUPPORT;
}

static size_t count_lines(const char *text)
{
	size_t lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

static void try_allocations(const char *text)
{
	struct traced_memory *list = NULL;
	size_t count = 0;
	int r = traced_parse_allocations(text, &list, &count);

	CHECK(r == 0 || is_refused(r));
	CHECK(r == 0 || !list);
	/* The other four lines are two headings, a blank line and the total. */
	CHECK(r < 0 || count + 4 == count_lines(text));
	for (size_t i = 0; i < count; i++) {
		CHECK(list[i].pid > 0 && fuzz_is_text(list[i].comm, sizeof(list[i].comm)));
		CHECK(!strpbrk(list[i].comm, " \n"));
		CHECK(list[i].chip < TRACED_CHIPS && list[i].fault < TRACE_FAULT_N);
		CHECK((list[i].state == TRACED_UNRELIABLE) == (list[i].fault != TRACE_FAULT_NONE));
	}
	free(list);
}

static void try_holders(const char *text)
{
	struct traced_holder *list = NULL;
	size_t count = 0;
	int r = traced_parse_holders(text, &list, &count);

	CHECK(r == 0 || is_refused(r));
	CHECK(r == 0 || !list);
	CHECK(r < 0 || count + 2 == count_lines(text));
	for (size_t i = 0; i < count; i++)
		CHECK(list[i].pid > 0 && fuzz_is_text(list[i].comm, sizeof(list[i].comm)));
	free(list);
}

static void try_deaths(const char *text)
{
	struct traced_death *list = NULL;
	size_t count = 0;
	int r = traced_parse_deaths(text, &list, &count);

	CHECK(r == 0 || is_refused(r));
	CHECK(r == 0 || !list);
	CHECK(r < 0 || count + 2 == count_lines(text));
	for (size_t i = 0; i < count; i++) {
		CHECK(list[i].has_death == (list[i].pid > 0));
		CHECK(list[i].signal < 128 && fuzz_is_text(list[i].comm, sizeof(list[i].comm)));
	}
	free(list);
}

/* Puts a prefix and a suffix around the input. */
static char *wrap(const char *head, const char *text, const char *tail)
{
	size_t size = strlen(head) + strlen(text) + strlen(tail) + 1;
	char *whole = malloc(size);

	CHECK(whole);
	snprintf(whole, size, "%s%s%s", head, text, tail);
	return whole;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	char *memory = wrap(memory_head, text, memory_tail);
	char *holders = wrap(holder_head, text, "");
	char *deaths = wrap(death_head, text, "");

	try_allocations(text);
	try_allocations(memory);
	try_holders(text);
	try_holders(holders);
	try_deaths(text);
	try_deaths(deaths);
	free(deaths);
	free(holders);
	free(memory);
	free(text);
	return 0;
}
