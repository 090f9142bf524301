/* The symbols of the hooks of metal/program_hook.h, in all known releases. */
#pragma once

#include "metal/names.h"
#include "metal/program_hook.h"

#define PROGRAM_QUEUE(rest)    METAL_NAME("11distributed18FDMeshCommandQueue" rest)
#define PROGRAM_MEMORY(rest)   METAL_NAME("19SystemMemoryManager" rest)
#define PROGRAM_PROFILER(rest) METAL_NAME("11distributed23RealtimeProfilerManager" rest)
#define PROGRAM_ENTRY                                                            \
	METAL_NAME(                                                              \
		"12experimental9inspector"                                       \
		"26EmitMeshWorkloadDebugEntryERNS0_11distributed12MeshWorkloadE" \
		"mSt17basic_string_viewIcSt11char_traitsIcEESt6vectorINS0_10TensorSpecESaISB_EE")

/* In all of these releases. */
#define PROGRAM_NAME_NEXT_EVENT PROGRAM_MEMORY("14get_next_eventEh")

/* X(our name, TT-Metal's symbol, hook) */
/* clang-format off */
#define PROGRAM_NAMES(X) \
	X(PROFILER_ON, "_ZN2tt38NotifyProgramRealtimeProfilerActivatedEj", PROGRAM_PROFILER_ON) \
	X(PROFILER_OFF, "_ZN2tt40NotifyProgramRealtimeProfilerDeactivatedEj", PROGRAM_PROFILER_OFF) \
	X(SYNC_CHECK, PROGRAM_PROFILER("18trigger_sync_checkEv"), PROGRAM_SYNC_CHECK) \
	X(PUBLISH, PROGRAM_PROFILER("13publish_pagesERKNS2_11DeviceStateEPKjjRSt6vectorINS0_12experimental" \
				    "21ProgramRealtimeRecordESaISA_EE"), PROGRAM_PUBLISH) \
	X(RECORD, "_ZN2tt38InvokeProgramRealtimeProfilerCallbacksERKNS_8tt_metal" \
		  "12experimental21ProgramRealtimeRecordE", PROGRAM_RECORD) \
	X(LAUNCH, PROGRAM_QUEUE("21enqueue_mesh_workloadERNS1_12MeshWorkloadEb"), PROGRAM_LAUNCH) \
	X(LAUNCH_MESH, METAL_NAME("11distributed16MeshCommandQueue21enqueue_mesh_workloadE" \
				  "RNS1_12MeshWorkloadEb"), PROGRAM_LAUNCH) \
	X(LAUNCH_DEVICE, METAL_NAME("14HWCommandQueue15enqueue_programERNS0_7ProgramEb"), PROGRAM_LAUNCH_DEVICE) \
	X(LAUNCH_TRACE, PROGRAM_QUEUE("13enqueue_traceERKN4ttsl10StrongTypeIjNS1_14MeshTraceIdTagEEEb"), \
	  PROGRAM_LAUNCH_TRACE) \
	X(LAUNCH_TRACE_STL, PROGRAM_QUEUE("13enqueue_traceERKNS_3stl10StrongTypeIjNS1_14MeshTraceIdTagEEEb"), \
	  PROGRAM_LAUNCH_TRACE) \
	X(LAUNCH_DEVICE_TRACE, METAL_NAME("14HWCommandQueue13enqueue_traceEjb"), PROGRAM_LAUNCH_DEVICE_TRACE) \
	X(LAUNCH_SLOW, METAL_NAME("11distributed18SDMeshCommandQueue21enqueue_mesh_" \
				  "workloadERNS1_12MeshWorkloadEb"), PROGRAM_LAUNCH_SLOW) \
	X(NEXT_EVENT, PROGRAM_NAME_NEXT_EVENT, PROGRAM_NEXT_EVENT) \
	X(COMPLETED, PROGRAM_MEMORY("24set_last_completed_eventEhj"), PROGRAM_COMPLETED) \
	X(BYPASS, PROGRAM_MEMORY("15set_bypass_modeEbb"), PROGRAM_BYPASS) \
	X(OPERATION, PROGRAM_ENTRY "St8optionalIN4ttsl10StrongTypeIjNS3_14MeshTraceIdTagEEEE", PROGRAM_OPERATION) \
	X(OPERATION_V68, PROGRAM_ENTRY, PROGRAM_OPERATION)
/* clang-format on */
