/* Fuzzes the parser of the driver's list of openers. */
#include "fuzz.h"

#include "source/procfs.h"

struct seen {
	size_t count, zeros;
};

static void take(int32_t pid, void *arg)
{
	struct seen *seen = arg;

	CHECK(pid >= 0);
	seen->count++;
	seen->zeros += pid == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct seen seen = { 0 };
	size_t lines = 0;
	int r;

	for (const char *p = text; *p; p++)
		lines += *p == '\n';
	r = procfs_parse_pids(text, take, &seen);
	CHECK(r <= 0);
	CHECK(seen.count <= lines);
	/* An accepted text has only digits, and one call per line. */
	if (r == 0)
		CHECK(seen.count == lines && strspn(text, "0123456789\n") == strlen(text));
	free(text);
	return 0;
}
