/*
 * Fuzzes the reader of live buffers in the memory of a process: the input is the memory around the
 * allocator. Its first byte selects the address of the allocator.
 */
#include "fuzz.h"

#include "metal/live.h"
#include "metal/names.h"

#include <errno.h>
#include <string.h>

#define BASE UINT64_C(0x7f1234500000)

struct memory {
	const uint8_t *data;
	size_t size, reads;
};

static int read_memory(void *arg, uint64_t address, void *to, size_t length)
{
	struct memory *memory = arg;

	memory->reads++;
	if (address < BASE || address - BASE > memory->size ||
	    length > memory->size - (address - BASE))
		return -EFAULT;
	memcpy(to, memory->data + (address - BASE), length);
	return 0;
}

static void try(const struct metal_shape *shape, struct memory *memory, uint64_t allocator)
{
	const struct metal_memory from = { read_memory, memory };
	struct metal_buffer *buffers = NULL;
	size_t count = 0;
	int r;

	memory->reads = 0;
	r = metal_live_buffers(shape, &from, allocator, &buffers, &count);
	CHECK(r == 0 || r == -EBADMSG || r == -EFAULT);
	CHECK(memory->reads < (UINT64_C(1) << 22));
	for (size_t i = 0; r == 0 && i < count; i++) {
		CHECK(metal_is_buffer(&buffers[i]) && buffers[i].allocator == allocator);
		CHECK(buffers[i].size && buffers[i].size <= METAL_SIZE_MAX);
		CHECK(i == 0 || buffers[i].self > buffers[i - 1].self);
	}
	free(buffers);
}

static bool is_old(const char *symbol, void *arg)
{
	(void)arg;
	return strcmp(symbol, METAL_NAME_TRACK) == 0 || strcmp(symbol, METAL_NAME_ALLOCATE) == 0;
}

static bool is_new(const char *symbol, void *arg)
{
	return is_old(symbol, arg) || strcmp(symbol, METAL_NAME_VIEW) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct metal_shape old, new;
	struct memory memory;

	if (size < 1)
		return 0;
	CHECK(metal_shape_find(&old, is_old, NULL) == 0 &&
	      metal_shape_find(&new, is_new, NULL) == 0);
	memory = (struct memory){ data + 1, size - 1, 0 };
	try(&old, &memory, BASE + 8 * (uint64_t)data[0]);
	try(&new, &memory, BASE + 8 * (uint64_t)data[0]);
	return 0;
}
