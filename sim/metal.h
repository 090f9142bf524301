/*
 * TT-Metal's own memory counters, /dev/shm/tt_device_<asic id>_memory, written as TT-Metal does:
 * layout 3, created by the first process that opens the chip, never removed, and not cleaned up
 * after a process that was killed.
 *
 * The layout is TT-Metal's: the offsets must not change.
 */
#pragma once

#include "basic/macros.h"
#include "workload.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define METAL_VERSION	3
#define METAL_CHIPS	16
#define METAL_PROCESSES 64
#define METAL_UNUSED	UINT32_MAX

struct metal_chip {
	uint32_t chip_id; /* METAL_UNUSED: the slot is free */
	uint32_t is_remote;
	uint64_t bytes[POOLS];
};

struct metal_process {
	int32_t pid; /* 0: free */
	uint32_t padding;
	uint64_t bytes[POOLS];
	uint64_t updated_ns; /* wall clock */
	char name[64];
};

struct metal_file {
	uint32_t version;
	uint32_t active_processes;
	uint64_t updated_ns;
	uint32_t references;
	uint32_t padding0;
	uint64_t board_serial; /* reserved */
	uint64_t asic_id;
	uint32_t device_id; /* logical number in the process that attached last */
	uint32_t padding1;
	uint64_t bytes[POOLS];
	struct metal_chip chips[METAL_CHIPS];
	struct metal_process processes[METAL_PROCESSES];
	uint32_t init_state; /* layout 4 only */
	uint8_t padding2[36];
};

_Static_assert(offsetof(struct metal_file, bytes) == 48, "layout 3");
_Static_assert(offsetof(struct metal_file, chips) == 88, "layout 3");
_Static_assert(offsetof(struct metal_file, processes) == 856, "layout 3");
_Static_assert(sizeof(struct metal_chip) == 48, "layout 3");
_Static_assert(sizeof(struct metal_process) == 120, "layout 3");
_Static_assert(offsetof(struct metal_file, init_state) == 8536, "layout 3");
_Static_assert(sizeof(struct metal_file) == 8576, "layout 3");

struct metal {
	struct metal_file *file;
	struct metal_process *slot; /* NULL until the first allocation, or if none is free */
	struct metal_chip *chip;
	uint64_t bytes[POOLS]; /* of this process */
	pid_t pid;
	char name[16];
};

/* Opens a chip's file below `directory`; creates it if it is missing. */
MUST_CHECK int metal_attach(struct metal *ret, const char *directory, uint64_t asic_id,
			    uint32_t device_id, pid_t pid, const char *name);

/* Adds and subtracts until the process holds these amounts. */
void metal_set(struct metal *metal, const uint64_t bytes[static POOLS], uint64_t now_ns);

/* A graceful end: frees everything; the last process clears the totals. */
void metal_detach(struct metal *metal, uint64_t now_ns);

/* Closes the file and leaves its content, like a process that was killed. */
void metal_abandon(struct metal *metal);
