/*
 * TT-Metal's functions about programs, under their own names. Arguments that are objects of C++ are
 * pointers, as in the ABI for x86-64.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define METAL(rest)    __asm__("_ZN2tt8tt_metal" rest)
#define PROFILER(rest) METAL("11distributed23RealtimeProfilerManager" rest)

/* FDMeshCommandQueue, or SDMeshCommandQueue for slow dispatch */
struct command_queue {
	const void *vtable;
	uint64_t launched;
};

/* SystemMemoryManager: one per chip. */
struct memory_manager {
#if SIM_RELEASE >= 68
	uint32_t context;
#endif
	uint32_t chip;
	uint32_t event, completed; /* the last ones of queue 0 */
};

void queue_enqueue(struct command_queue *queue, void *workload, bool is_blocking)
	METAL("11distributed18FDMeshCommandQueue21enqueue_mesh_workloadERNS1_12MeshWorkloadEb");
void queue_enqueue_slow(struct command_queue *queue, void *workload, bool is_blocking)
	METAL("11distributed18SDMeshCommandQueue21enqueue_mesh_workloadERNS1_12MeshWorkloadEb");
uint32_t memory_next_event(struct memory_manager *manager, uint8_t queue)
	METAL("19SystemMemoryManager14get_next_eventEh");
void memory_complete(struct memory_manager *manager, uint8_t queue, uint32_t event)
	METAL("19SystemMemoryManager24set_last_completed_eventEhj");

#if SIM_RELEASE >= 76
struct profiler_manager;
struct device_state;

/* A std::string_view as an argument is its two members; a vector is passed by address. */
void inspector_name(void *workload, uint64_t id, size_t length, const char *name, void *tensors,
		    uint64_t trace)
	METAL("12experimental9inspector26EmitMeshWorkloadDebugEntryERNS0_"
	      "11distributed12MeshWorkloadE"
	      "mSt17basic_string_viewIcSt11char_traitsIcEESt6vectorINS0_10TensorSpecESaISB_EE"
	      "St8optionalIN4ttsl10StrongTypeIjNS3_14MeshTraceIdTagEEEE");
void profiler_on(uint32_t chip) __asm__("_ZN2tt38NotifyProgramRealtimeProfilerActivatedEj");
void profiler_off(uint32_t chip) __asm__("_ZN2tt40NotifyProgramRealtimeProfilerDeactivatedEj");
void profiler_check_sync(struct profiler_manager *manager) PROFILER("18trigger_sync_checkEv");
void profiler_publish(struct profiler_manager *manager, const struct device_state *state,
		      const uint32_t *pages, uint32_t count, void *records)
	PROFILER("13publish_pagesERKNS2_11DeviceStateEPKjjRSt6vectorINS0_12experimental"
		 "21ProgramRealtimeRecordESaISA_EE");
#endif
