/*
 * Hooks by which compute utilisation is measured: the functions of TT-Metal through which programs
 * are launched and finished, and through which its profiler passes records to callbacks. Their
 * arguments are in registers, as in the System V ABI for x86-64.
 */
#pragma once

enum program_hook {
	/* The profiler. The objects of SYNC_CHECK and PUBLISH lead to its rings. */
	PROGRAM_PROFILER_ON,  /* (chip) */
	PROGRAM_PROFILER_OFF, /* (chip) */
	PROGRAM_SYNC_CHECK,   /* (RealtimeProfilerManager): when the host waits for a queue */
	PROGRAM_PUBLISH,      /* (RealtimeProfilerManager, DeviceState, pages, number of pages) */
	PROGRAM_RECORD,	      /* (ProgramRealtimeRecord): a program has ended; before v0.76 */
	/* Launches. */
	PROGRAM_LAUNCH,	       /* (queue, workload, blocking) */
	PROGRAM_LAUNCH_DEVICE, /* the same for a queue of a single device */
	PROGRAM_LAUNCH_TRACE,  /* (queue, trace, blocking): replays captured programs */
	PROGRAM_LAUNCH_DEVICE_TRACE,
	PROGRAM_LAUNCH_SLOW, /* (queue, workload, blocking): without a dispatcher on the chip */
	PROGRAM_NEXT_EVENT,  /* (SystemMemoryManager, queue number): event after a launch */
	PROGRAM_COMPLETED,   /* (SystemMemoryManager, queue number, event) */
	PROGRAM_BYPASS,	     /* (SystemMemoryManager, on): launches are captured, not run */
	PROGRAM_OPERATION,   /* (workload, runtime id, length, text): its name */
	PROGRAM_HOOKS,
};
