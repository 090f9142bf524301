/*
 * metal_look FILE: prints what src/metal finds in a file: "versions TEXT", "problem TEXT",
 * "tracks 0|1", and "hook NUMBER ENTRY" for each hook.
 * metal_look FILE PID ALLOCATOR: prints the memory of an allocator's live buffers, read from the
 * running process: "TYPE BYTES" for each type, "buffers NUMBER".
 */
#include "metal/library.h"
#include "metal/live.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static int read_process(void *arg, uint64_t address, void *to, size_t length)
{
	struct iovec local = { to, length }, remote = { (void *)(uintptr_t)address, length };
	ssize_t n = process_vm_readv(*(pid_t *)arg, &local, 1, &remote, 1, 0);

	return n == (ssize_t)length ? 0 : -EFAULT;
}

static void print_library(const struct metal_library *library)
{
	enum trace_fault fault = metal_library_fault(library);

	printf("versions %s\nproblem %s\ntracks %d\n", library->shape.versions,
	       fault ? trace_fault_word(fault) : "none", library->tracks);
	for (int i = 0; i < METAL_HOOKS; i++)
		if (library->hooks[i].entry != METAL_ENTRY_NONE)
			printf("hook %d %d\n", i, library->hooks[i].entry);
}

static int print_live(const struct metal_shape *shape, pid_t pid, uint64_t allocator)
{
	struct metal_memory memory = { read_process, &pid };
	struct metal_buffer *buffers;
	uint64_t bytes[METAL_TYPES] = { 0 };
	size_t count;
	int r = metal_live_buffers(shape, &memory, allocator, &buffers, &count);

	if (r < 0)
		return r;
	for (size_t i = 0; i < count; i++)
		bytes[buffers[i].type] += buffers[i].size;
	for (int i = 0; i < METAL_TYPES; i++)
		printf("%d %" PRIu64 "\n", i, bytes[i]);
	printf("buffers %zu\n", count);
	free(buffers);
	return 0;
}

int main(int argc, char **argv)
{
	struct metal_library library;
	int fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	int r = fd < 0 ? -errno : metal_library_read(&library, fd);

	if (r == 0 && argc > 3)
		r = print_live(&library.shape, atoi(argv[2]), strtoull(argv[3], NULL, 0));
	else if (r == 0)
		print_library(&library);
	if (r < 0)
		fprintf(stderr, "%s\n", strerror(-r));
	return -r;
}
