#include "basic/sparse.h"

#include <stdlib.h>
#include <sys/mman.h>

/* Less is not worth the rest of its last page. */
static const size_t large = 16384;

void *sparse_new(size_t size)
{
	void *memory;

	if (size < large)
		return calloc(1, size);
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

void sparse_free(void *memory, size_t size)
{
	if (size < large)
		free(memory);
	else if (memory)
		munmap(memory, size);
}
