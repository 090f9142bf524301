/*
 * Assigns the figures in TT-Metal's files to processes and chips: a file per chip, with a slot per
 * process.
 */
#pragma once

#include "basic/macros.h"
#include "source/container_shm.h"
#include "source/metal_file.h"
#include "source/source.h"

/* A /dev/shm, and the sample that its figures are for. */
struct metal_folder {
	struct sample *sample;
	const struct containers *containers;
	const struct container_shm *container; /* the container; NULL: ours */
};

/* A file in it. */
struct metal_view {
	const struct metal_folder *folder;
	const struct metal_counters_file *file;
	bool has_device; /* the id in its name is that of a device */
	size_t device;
};

/* Does the process see the files of this folder? If that is unknown, ours are assumed. */
bool metal_folder_is_seen(const struct metal_folder *folder, const struct process *process);

/* Turns the slots of a decoded file into reports, reasons and stale usage. */
MUST_CHECK int metal_take_slots(struct metal_view *view);

/* Sets why the memory of a process is unknown, on one device or (NULL) on all that it has open. */
void metal_set_reason(struct process *process, const struct usage *only, enum reason why);
