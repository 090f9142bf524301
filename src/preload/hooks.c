/*
 * The interposed functions: plain C under TT-Metal's names. Each calls the real one.
 *
 * An allocation is counted after the real function has returned. If the device has no room it
 * throws: the exception unwinds through this frame, which holds no lock and needs no cleanup.
 * Frees are counted before the call, since another thread may get the memory right after it; they
 * are tail calls without a frame.
 */
#include "preload/count.h"
#include "preload/program_records.h"
#include "preload/programs.h"

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

/* A member function with a buffer as argument. */
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

/* A member function without arguments. */
#define INTERPOSE_OF_OBJECT(id, name, report)                                                         \
	EXPORT void interpose_##id(void *object) __asm__(name);                                       \
	void interpose_##id(void *object)                                                             \
	{                                                                                        \
		void (*real)(void *) = (void (*)(void *))LIBRARY(id)->real[INTERPOSED_##id];          \
												 \
		report(object);                                                                  \
		real(object);                                                                    \
	}

/*
 * A function about programs, with up to six arguments in registers, of any type: its arguments are reported and passed on unchanged.
 */
#define INTERPOSE_PROGRAM(id, name, report)                                                           \
	EXPORT uint64_t interpose_##id(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,    \
				       uint64_t f) __asm__(name);                                     \
	uint64_t interpose_##id(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,           \
				uint64_t f)                                                           \
	{                                                                                        \
		const struct library *library = LIBRARY(id);                                     \
												 \
		report;                                                                          \
		return ((six_arguments)library->real[INTERPOSED_##id])(a, b, c, d, e, f);             \
	}

/* The number of an event is known when the function has returned. */
#define INTERPOSE_PROGRAM_NEXT_EVENT(id, name)                                                        \
	EXPORT uint32_t interpose_##id(void *manager, uint8_t queue) __asm__(name);                   \
	uint32_t interpose_##id(void *manager, uint8_t queue)                                         \
	{                                                                                        \
		const struct library *library = LIBRARY(id);                                     \
		uint32_t (*real)(void *, uint8_t) =                                              \
			(uint32_t(*)(void *, uint8_t))library->real[INTERPOSED_##id];                 \
		uint32_t event = real(manager, queue);                                           \
												 \
		programs_note_event(library, manager, queue, event);                             \
		return event;                                                                    \
	}
/* clang-format on */

typedef uint64_t (*six_arguments)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

#define POINTER(word) ((const void *)(uintptr_t)(word))

#define INTERPOSE_PROGRAM_PROFILER_ON(id, name) \
	INTERPOSE_PROGRAM(id, name, programs_profile(library, (uint32_t)a, true))
#define INTERPOSE_PROGRAM_PROFILER_OFF(id, name) \
	INTERPOSE_PROGRAM(id, name, programs_profile(library, (uint32_t)a, false))
#define INTERPOSE_PROGRAM_SYNC_CHECK(id, name) /* not needed: PUBLISH passes the records */
#define INTERPOSE_PROGRAM_PUBLISH(id, name) \
	INTERPOSE_PROGRAM(id, name, records_publish(library, POINTER(b), POINTER(c), (uint32_t)d))
#define INTERPOSE_PROGRAM_RECORD(id, name) \
	INTERPOSE_PROGRAM(id, name, records_add(library, POINTER(a)))
#define INTERPOSE_PROGRAM_LAUNCH(id, name) \
	INTERPOSE_PROGRAM(id, name, programs_launch(library, a, true))
#define INTERPOSE_PROGRAM_LAUNCH_DEVICE(id, name) INTERPOSE_PROGRAM_LAUNCH(id, name)
#define INTERPOSE_PROGRAM_LAUNCH_TRACE(id, name) \
	INTERPOSE_PROGRAM(id, name, programs_launch(library, a, false))
#define INTERPOSE_PROGRAM_LAUNCH_DEVICE_TRACE(id, name) INTERPOSE_PROGRAM_LAUNCH_TRACE(id, name)
#define INTERPOSE_PROGRAM_LAUNCH_SLOW(id, name) \
	INTERPOSE_PROGRAM(id, name, programs_launch_slow(library))
#define INTERPOSE_PROGRAM_COMPLETED(id, name) \
	INTERPOSE_PROGRAM(id, name, programs_complete(library, POINTER(a), (uint8_t)b, (uint32_t)c))
#define INTERPOSE_PROGRAM_BYPASS(id, name) \
	INTERPOSE_PROGRAM(id, name, programs_bypass(library, b & 0xff))
#define INTERPOSE_PROGRAM_OPERATION(id, name) \
	INTERPOSE_PROGRAM(id, name, records_name(library, (uint16_t)b, POINTER(d), c))

#define INTERPOSE_METAL_TRACK_ALLOCATE(id, name) \
	INTERPOSE_OF_BUFFER(id, name, count_tracked(library, buffer))
#define INTERPOSE_METAL_TRACK_DEALLOCATE(id, name) INTERPOSE_OF_BUFFER(id, name, count_free(buffer))
#define INTERPOSE_METAL_DEALLOCATE(id, name)	   INTERPOSE_OF_BUFFER(id, name, count_free(buffer))
#define INTERPOSE_METAL_FORGET(id, name)	   INTERPOSE_OF_OBJECT(id, name, count_free)
#define INTERPOSE_METAL_FORGET_ALL(id, name)	   INTERPOSE_OF_OBJECT(id, name, count_free_all)
#define INTERPOSE_METAL_DESTROY(id, name)	   INTERPOSE_OF_OBJECT(id, name, count_free_all)

#define X(id, name, hook) INTERPOSE_##hook(id, name)
INTERPOSED_NAMES(X)
