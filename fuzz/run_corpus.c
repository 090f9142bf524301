/*
 * Runs a fuzzer's function once with each file of the given folders, and with empty input. Each
 * input is in memory of exactly its size, so that a sanitizer detects an overrun.
 */
#include "fuzz.h"

#include <dirent.h>
#include <sys/stat.h>

static void run_file(const char *path)
{
	FILE *file = fopen(path, "rbe");
	struct stat st;
	uint8_t *data;
	size_t size;

	CHECK(file && fstat(fileno(file), &st) == 0);
	size = (size_t)st.st_size;
	data = malloc(size ? size : 1);
	CHECK(data && fread(data, 1, size, file) == size);
	fclose(file);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
}

static unsigned run_folder(const char *path)
{
	DIR *folder = opendir(path);
	unsigned count = 0;
	struct dirent *entry;

	if (!folder) {
		perror(path);
		exit(1);
	}
	while ((entry = readdir(folder))) {
		char name[4096];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		/* If an input fails, its name is the last one printed. */
		printf("%s\n", entry->d_name);
		fflush(stdout);
		run_file(name);
		count++;
	}
	closedir(folder);
	return count;
}

int main(int argc, char **argv)
{
	unsigned count = 0;

	LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
	for (int i = 1; i < argc; i++)
		count += run_folder(argv[i]);
	printf("%u inputs\n", count);
	return count == 0;
}
