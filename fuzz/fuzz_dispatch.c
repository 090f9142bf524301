/*
 * Fuzzes the parser of the tracer's file of compute utilisation. Few inputs have its headings, so
 * each input is also tried after valid ones.
 */
#include "fuzz.h"

#include "proto/dispatch.h"

#include <errno.h>

static const char head[] =
	"PID Comm CHIP START DEVICE BUSY WINDOW BOUND PROGRAMS RUNNING LAST UPDATED "
	"STATE OPERATION\n- -\n";

static size_t count_lines(const char *text)
{
	size_t lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

static void try_text(const char *text)
{
	struct dispatch_line *list = NULL;
	size_t count = 0;
	int r = dispatch_parse(text, &list, &count);

	CHECK(r == 0 || r == -EBADMSG || r == -EPROTONOSUPPORT);
	CHECK(r == 0 || !list);
	CHECK(r < 0 || count + 2 == count_lines(text));
	for (size_t i = 0; i < count; i++) {
		CHECK(list[i].pid >= 0 && list[i].state < DISPATCH_STATE_N);
		CHECK(list[i].pid || (list[i].has_device && !list[i].has_chip));
		CHECK(!list[i].has_figure || (list[i].window && list[i].bound < BOUND_N));
		CHECK(fuzz_is_text(list[i].operation, sizeof(list[i].operation)));
		CHECK(!strpbrk(list[i].operation, " \n"));
	}
	free(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	size_t length = sizeof(head) + strlen(text);
	char *whole = malloc(length);

	CHECK(whole);
	snprintf(whole, length, "%s%s", head, text);
	try_text(text);
	try_text(whole);
	free(whole);
	free(text);
	return 0;
}
