/*
 * A library with the symbols of TT-Metal, for readers of the file only: names, calls through the
 * PLT, an exception. Its code is never executed. Each variant is built with its own macros.
 *
 *   VERSION     56, 57, 60, 66, 68, 70, 77: names of that release
 *   STEPPED     track_allocate begins with an instruction that the kernel single-steps
 *   UNTRACKED   track_allocate is not called
 *   THROWS      __cxa_throw is defined here
 *   UNKNOWN     symbols that no release has together
 *   NO_FREE_ALL no function that frees all buffers of a device
 *   CHIP        offset of the chip number in a Device, if not that of the release
 *   COMPUTED    Device::id() is more than a load
 *   MAIN        a program
 */
#include <stdint.h>

#define P	      "_ZN2tt8tt_metal"
#define NAMED(symbol) __asm__(symbol)
#define PART	      __attribute__((noinline, used))

#if VERSION == 56
#define BUFFER "NS0_2v06BufferE"
#define CLASS  "9Allocator"
#elif VERSION < 66
#define BUFFER "NS0_6BufferE"
#define CLASS  "9Allocator"
#else
#define BUFFER "NS0_6BufferE"
#define CLASS  "13AllocatorImpl"
#endif

void track_allocate(void *tracker, void *buffer)
	NAMED(P "12GraphTracker14track_allocateEPK" BUFFER);
void track_deallocate(void *tracker, void *buffer)
	NAMED(P "12GraphTracker16track_deallocateEP" BUFFER);
uint64_t allocate(void *allocator, void *buffer) NAMED(P CLASS "15allocate_bufferEP" BUFFER);
void deallocate(void *allocator, void *buffer) NAMED(P CLASS "17deallocate_bufferEP" BUFFER);
void deallocate_all(void *allocator) NAMED(P CLASS "18deallocate_buffersEv");
void destroy(void *allocator) NAMED(P CLASS "D2Ev");
void forget(void *buffer) NAMED(P "6Buffer19mark_as_deallocatedEv");
void create_at(void *slot, void *device, uint64_t address, uint64_t size, uint64_t page,
	       unsigned type)
#if VERSION == 56
	NAMED(P "2v06Buffer6createEPNS1_7IDeviceEmmmNS1_10BufferTypeENS1_18SomethingElseE");
#elif VERSION < 60
	NAMED(P "6Buffer6createEPNS0_7IDeviceEmmmNS0_10BufferTypeENSt3__18SomethingElseE");
#else
	NAMED(P "6Buffer6createEPNS0_7IDeviceEmmmNS0_10BufferTypeERKNS0_18BufferShardingArgsE"
		"St8optionalIbES8_IN4ttsl10StrongTypeIhNS0_14SubDeviceIdTagEEEE");
#endif
void cxa_throw(void *exception) NAMED("__cxa_throw");
void unwinding(void *what); /* is called, so that functions save registers */

#ifndef CHIP
#define CHIP (VERSION >= 68 ? 24 : 8)
#endif
struct device {
	char before[CHIP];
	int chip;
};

PART static int device_id(const struct device *device)
{
#ifdef COMPUTED
	return device->chip + device->before[7];
#else
	return device->chip;
#endif
}

/* Two words, two destructors, arch(), id(). */
#if VERSION <= 56
void *device_vtable[6] NAMED("_ZTVN2tt8tt_metal2v06DeviceE") = { [5] = device_id };
#else
void *device_vtable[6] NAMED("_ZTVN2tt8tt_metal6DeviceE") = { [5] = device_id };
#endif
void *mesh_vtable[6] NAMED("_ZTVN2tt8tt_metal11distributed10MeshDeviceE") = { 0 };

/* A body that begins with a push, like every function that keeps its arguments across calls. */
#define BODY(a, b)                                               \
	do {                                                     \
		void *kept = b;                                  \
		__asm__ volatile("" ::: "rbx", "r12", "memory"); \
		unwinding(a);                                    \
		unwinding(kept);                                 \
	} while (0)

PART void track_allocate(void *tracker, void *buffer)
{
#ifdef STEPPED
	*(void **)tracker = buffer;
#else
	BODY(tracker, buffer);
#endif
}

PART void track_deallocate(void *tracker, void *buffer)
{
	BODY(tracker, buffer);
}

PART uint64_t allocate(void *allocator, void *buffer)
{
	BODY(allocator, buffer);
	if (!buffer)
		cxa_throw(allocator);
	return 1;
}

PART void deallocate(void *allocator, void *buffer)
{
	BODY(allocator, buffer);
}

#ifndef NO_FREE_ALL
PART void deallocate_all(void *allocator)
{
	BODY(allocator, allocator);
}

PART void destroy(void *allocator)
{
	deallocate_all(allocator);
	unwinding(allocator);
}
#endif

/*
 * It begins with a store, which is single-stepped; that is acceptable for a function called rarely.
 */
PART void forget(void *buffer)
{
	((char *)buffer)[72] = 2;
}

PART void create_at(void *slot, void *device, uint64_t address, uint64_t size, uint64_t page,
		    unsigned type)
{
	(void)address, (void)size, (void)page, (void)type;
	BODY(slot, device);
}

void create(void *tracker, void *allocator, void *buffer);
PART void create(void *tracker, void *allocator, void *buffer)
{
	allocate(allocator, buffer);
#ifndef UNTRACKED
	track_allocate(tracker, buffer);
#endif
	deallocate(allocator, buffer);
}

#if VERSION >= 60 && !defined(UNKNOWN)
void view(void) NAMED(P "6Buffer4viewERKNS0_12BufferRegionE");
PART void view(void)
{
}
#endif
#if VERSION >= 68
void env(void) NAMED(P "8MetalEnvD1Ev");
PART void env(void)
{
}
#endif
#if VERSION >= 70
void record(void) NAMED(P "25SharedMemoryStatsProvider17record_allocationEimNS0_13ShmBufferTypeEj");
PART void record(void)
{
}
#endif
#if VERSION >= 77
void dataflow(void) NAMED(P "12GraphTracker30track_allocate_dataflow_bufferERKNS0_12Core"
			    "RangeSetEmmbPKNS0_7IDeviceE");
PART void dataflow(void)
{
}
#endif

#ifdef THROWS
PART void cxa_throw(void *exception)
{
	BODY(exception, exception);
}
#endif

#ifdef MAIN
PART void unwinding(void *what)
{
	(void)what;
}

int main(void)
{
	return 0;
}
#endif
