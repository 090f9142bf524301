/* Fuzzes the parsers of /proc/devices and /proc/stat. */
#include "fuzz.h"

#include "source/procfs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), line[64];
	int64_t seconds = -1;
	uint32_t major = 0;

	if (procfs_parse_devices(text, &major)) {
		snprintf(line, sizeof(line), "%u tenstorrent\n", major);
		CHECK(strstr(text, " tenstorrent\n"));
		CHECK(strstr(text, line) || strchr(text, '0')); /* '0': it may have leading zeros */
	}
	if (procfs_parse_btime(text, &seconds))
		CHECK(seconds >= 0 && seconds <= INT64_MAX / 1000000000 && strstr(text, "btime "));
	free(text);
	return 0;
}
