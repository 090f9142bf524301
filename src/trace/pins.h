/*
 * Where the tracer leaves what goes on without it: a file system for BPF objects of
 * our own, since the common one is closed to ordinary users under systemd.
 */
#pragma once

#include "basic/buf.h"

#define TRACE_FOLDER	 "/run/tt-smi"
#define PINS_FOLDER	 TRACE_FOLDER "/bpf"
#define PINS_ALLOCATIONS PINS_FOLDER "/allocations"
#define PINS_HOLDERS	 PINS_FOLDER "/holders"
#define PINS_MAPS	 PINS_FOLDER "/maps"
#define PINS_PROGRAMS	 PINS_FOLDER "/progs"
#define PINS_LINKS	 PINS_FOLDER "/links"

/* Is something pinned? -errno if that cannot be seen. */
MUST_CHECK int pins_are_there(void);

/* Mounts it if it is not, and makes its folders. On failure problem says what failed. */
MUST_CHECK int pins_mount(struct buf *problem);

/* Takes all pins away: what nobody else holds ends with that. */
MUST_CHECK int pins_clear(struct buf *problem);

MUST_CHECK int pins_unmount(struct buf *problem);
