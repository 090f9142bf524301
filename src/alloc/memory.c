#include "alloc/memory.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_PAGE (UINT64_C(2) << 20)

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

void *memory_reserve(size_t bytes)
{
	int saved = errno;
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p != MAP_FAILED) {
		madvise(p, bytes, MADV_DONTFORK);
		madvise(p, bytes, MADV_NOHUGEPAGE);
	}
	errno = saved;
	return p == MAP_FAILED ? NULL : p;
}

void *memory_reserve_large(size_t bytes)
{
	char *p = memory_reserve(bytes);
	uintptr_t huge = ((uintptr_t)p + 2 * HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
	size_t before = huge - (uintptr_t)p;
	int saved = errno;

	if (p && before < bytes)
		madvise(p + before, bytes - before, MADV_HUGEPAGE);
	errno = saved;
	return p;
}

void memory_release(void *start, size_t bytes)
{
	if (start)
		munmap(start, bytes);
}

bool memory_prepare(void *start, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t before = (uintptr_t)start % page;
	int saved = errno;
	bool ready;

	ready = madvise((char *)start - before, before + bytes, MADV_POPULATE_WRITE) == 0 ||
		errno == EINVAL;
	errno = saved;
	return ready;
}
