/* Fuzzes the reader of a Prometheus server's answers. */
#include "fuzz.h"

#include "fleet/vector.h"

#include <math.h>

static int visit(void *arg, const struct label_set *labels, double value)
{
	size_t *count = arg;

	CHECK(labels->count <= MAX_LABELS);
	for (size_t i = 0; i < labels->count; i++) {
		CHECK(labels->names[i] < labels->values[i]);
		CHECK(labels->values[i] < labels->text.length);
	}
	CHECK(isfinite(value));
	CHECK(!label_get(labels, "instance") ||
	      strlen(label_text(labels, "instance")) < labels->text.length);
	++*count;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t count = 0;
	const struct vector_reader reader = { visit, &count };
	struct buf error = { 0 };
	int r;

	r = vector_read((const char *)data, size, &reader, &error);
	CHECK(r <= 0);
	CHECK(count <= size);
	r = rules_have((const char *)data, size, "Tenstorrent", &error);
	CHECK(r <= 1);
	buf_done(&error);
	return 0;
}
