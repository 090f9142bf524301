/*
 * The interposed functions: plain C under TT-Metal's names. Each calls the real one.
 *
 * An allocation is counted after the real function has returned. If the device has no room it
 * throws: the exception unwinds through this frame, which holds no lock and needs no cleanup.
 * Frees are counted before the call, since another thread may get the memory right after it; they
 * are tail calls without a frame.
 */
#include "preload/count.h"

#define EXPORT	    __attribute__((visibility("default")))
#define LIBRARY(id) library_of(__builtin_return_address(0), INTERPOSED_##id)

/* clang-format off */
#define INTERPOSE_METAL_ALLOCATE(id, name)                                                            \
	EXPORT uint64_t interpose_##id(void *allocator, void *buffer) __asm__(name);                  \
	uint64_t interpose_##id(void *allocator, void *buffer)                                        \
	{                                                                                        \
		const struct library *library = LIBRARY(id);                                     \
		uint64_t (*real)(void *, void *) =                                               \
			(uint64_t(*)(void *, void *))library->real[INTERPOSED_##id];                  \
		uint64_t address = real(allocator, buffer);                                      \
												 \
		count_allocation(library, allocator, buffer);                                    \
		return address;                                                                  \
	}

/* A function of an object and a buffer. */
#define INTERPOSE_OF_BUFFER(id, name, report)                                                         \
	EXPORT void interpose_##id(void *object, void *buffer) __asm__(name);                         \
	void interpose_##id(void *object, void *buffer)                                               \
	{                                                                                        \
		const struct library *library = LIBRARY(id);                                     \
		void (*real)(void *, void *) =                                                   \
			(void (*)(void *, void *))library->real[INTERPOSED_##id];                     \
												 \
		report;                                                                          \
		real(object, buffer);                                                            \
	}

/* A function of an object alone. */
#define INTERPOSE_OF_OBJECT(id, name, report)                                                         \
	EXPORT void interpose_##id(void *object) __asm__(name);                                       \
	void interpose_##id(void *object)                                                             \
	{                                                                                        \
		void (*real)(void *) = (void (*)(void *))LIBRARY(id)->real[INTERPOSED_##id];          \
												 \
		report(object);                                                                  \
		real(object);                                                                    \
	}
/* clang-format on */

#define INTERPOSE_METAL_TRACK_ALLOCATE(id, name) \
	INTERPOSE_OF_BUFFER(id, name, count_tracked(library, buffer))
#define INTERPOSE_METAL_TRACK_DEALLOCATE(id, name) INTERPOSE_OF_BUFFER(id, name, count_free(buffer))
#define INTERPOSE_METAL_DEALLOCATE(id, name)	   INTERPOSE_OF_BUFFER(id, name, count_free(buffer))
#define INTERPOSE_METAL_FORGET(id, name)	   INTERPOSE_OF_OBJECT(id, name, count_free)
#define INTERPOSE_METAL_FORGET_ALL(id, name)	   INTERPOSE_OF_OBJECT(id, name, count_free_all)
#define INTERPOSE_METAL_DESTROY(id, name)	   INTERPOSE_OF_OBJECT(id, name, count_free_all)

#define X(id, name, hook) INTERPOSE_##hook(id, name)
INTERPOSED_NAMES(X)
