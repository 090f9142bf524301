/*
 * Another library to preload: it also interposes a function of TT-Metal, and prints at the end how
 * often that was called.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define ALLOCATE "_ZN2tt8tt_metal13AllocatorImpl15allocate_bufferEPNS0_6BufferE"

static unsigned calls;

uint64_t other_allocate(void *allocator, void *buffer) __asm__(ALLOCATE);

uint64_t other_allocate(void *allocator, void *buffer)
{
	uint64_t (*real)(void *, void *) = (uint64_t(*)(void *, void *))dlsym(RTLD_NEXT, ALLOCATE);

	calls++;
	return real(allocator, buffer);
}

__attribute__((constructor)) static void start(void)
{
	setenv("OTHER_PRELOAD", "was here", 1);
}

__attribute__((destructor)) static void end(void)
{
	if (calls)
		printf("other: %u calls\n", calls);
}
