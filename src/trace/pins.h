/*
 * The pinned BPF objects, which stay when the tracer ends. They are in their own bpffs: systemd
 * mounts /sys/fs/bpf so that ordinary users cannot enter it.
 */
#pragma once

#include "basic/buf.h"

#define TRACE_FOLDER	 "/run/tt-smi"
#define PINS_FOLDER	 TRACE_FOLDER "/bpf"
#define PINS_ALLOCATIONS PINS_FOLDER "/allocations"
#define PINS_HOLDERS	 PINS_FOLDER "/holders"
#define PINS_DISPATCH	 PINS_FOLDER "/dispatch"
#define PINS_DEATHS	 PINS_FOLDER "/deaths"
#define PINS_MAPS	 PINS_FOLDER "/maps"
#define PINS_PROGRAMS	 PINS_FOLDER "/progs"
#define PINS_LINKS	 PINS_FOLDER "/links"

/* 1 if the object is pinned, 0 if not, -errno if that cannot be determined. */
MUST_CHECK int pins_are_there(void);

/* Mounts the bpffs if needed, and creates its folders. On failure problem has the reason. */
MUST_CHECK int pins_mount(struct buf *problem);

/* Removes all pins. The kernel frees the objects that no process has open. */
MUST_CHECK int pins_clear(struct buf *problem);

MUST_CHECK int pins_unmount(struct buf *problem);
