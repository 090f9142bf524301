#include "functions.h"

void queue_enqueue(struct command_queue *queue, void *workload, bool is_blocking)
{
	(void)workload;
	(void)is_blocking;
	queue->launched++;
}

void queue_enqueue_slow(struct command_queue *queue, void *workload, bool is_blocking)
{
	(void)workload;
	(void)is_blocking;
	queue->launched++;
}

uint32_t memory_next_event(struct memory_manager *manager, uint8_t queue)
{
	(void)queue;
	return ++manager->event;
}

void memory_complete(struct memory_manager *manager, uint8_t queue, uint32_t event)
{
	(void)queue;
	manager->completed = event;
}

#if SIM_RELEASE >= 76
void inspector_name(void *workload, uint64_t id, size_t length, const char *name, void *tensors,
		    uint64_t trace)
{
	(void)workload;
	(void)id;
	(void)length;
	(void)name;
	(void)tensors;
	(void)trace;
}

static uint64_t active; /* bit per chip whose profiler is on */
static uint64_t n_checks, n_published;

void profiler_on(uint32_t chip)
{
	active |= UINT64_C(1) << chip;
}

void profiler_off(uint32_t chip)
{
	active &= ~(UINT64_C(1) << chip);
}

void profiler_check_sync(struct profiler_manager *manager)
{
	(void)manager;
	n_checks++;
}

/* No callback is registered to which the records would be passed. */
void profiler_publish(struct profiler_manager *manager, const struct device_state *state,
		      const uint32_t *pages, uint32_t count, void *records)
{
	(void)manager;
	(void)state;
	(void)pages;
	(void)records;
	n_published += count;
}
#endif

/*
 * The names by which a release is recognised: those of functions that are not called here, and of
 * the class Device.
 */
#define NAMED(function, rest)            \
	void function(void) METAL(rest); \
	void function(void)              \
	{                                \
	}

NAMED(track_allocate, "12GraphTracker14track_allocateEPKNS0_6BufferE")
NAMED(buffer_view, "6Buffer4viewERKNS0_12BufferRegionE")
#if SIM_RELEASE >= 66
NAMED(allocator_allocate, "13AllocatorImpl15allocate_bufferEPNS0_6BufferE")
#else
NAMED(allocator_allocate, "9Allocator15allocate_bufferEPNS0_6BufferE")
#endif
#if SIM_RELEASE >= 77
NAMED(env_destroy, "8MetalEnvD1Ev")
NAMED(stats_record, "25SharedMemoryStatsProvider17record_allocationEimNS0_13ShmBufferTypeEj")
NAMED(track_dataflow,
      "12GraphTracker30track_allocate_dataflow_bufferERKNS0_12CoreRangeSetEmmbPKNS_7IDeviceE")
#endif

/* Offset to the top and type, then the virtual functions. */
extern const void *const device_vtable[3] __asm__("_ZTVN2tt8tt_metal6DeviceE");
const void *const device_vtable[3] = { NULL };
