/* Fuzzes the checkpoint of the vendor's DRA driver. */
#include "fuzz.h"

#include "proto/dra_checkpoint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A copy of exactly this size, without a NUL, so that a read beyond the end is found. */
	char *text = malloc(size ? size : 1);
	static struct dra_checkpoint checkpoint;
	int r;

	CHECK(text);
	if (size)
		memcpy(text, data, size);
	r = dra_checkpoint_parse(text, size, &checkpoint);
	CHECK(r <= 0);
	CHECK(checkpoint.count <= DRA_DEVICES);
	for (size_t i = 0; r == 0 && i < checkpoint.count; i++) {
		const struct dra_device *device = &checkpoint.devices[i];

		CHECK(fuzz_is_text(device->claim, sizeof(device->claim)));
		CHECK(strspn(device->claim, "0123456789abcdefABCDEF-") == strlen(device->claim));
		CHECK(device->chip != DRA_NO_NODE);
	}
	free(text);
	return 0;
}
