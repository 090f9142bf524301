/*
 * The tracer's pinned file /run/tt-smi/bpf/dispatch: compute utilisation of each process on each
 * chip, and of each device. docs/tracing.md has the columns.
 *
 * As with the tracer's other files (proto/traced.h), a text is either parsed completely or
 * rejected.
 */
#pragma once

#include "basic/dispatch_state.h"
#include "basic/macros.h"
#include "model/utilization.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DISPATCH_FILE "run/tt-smi/bpf/dispatch"

/* A process on one or all of its chips, or a device. Times are in ns. */
struct dispatch_line {
	int32_t pid; /* in the initial pid namespace; 0: the union of a device's processes */
	uint64_t start_ticks; /* as in struct traced_memory */
	bool has_chip;	      /* false: a device, or all chips of the process without a line */
	uint32_t chip;	      /* TT-Metal's logical number in that process */
	bool has_device;
	uint32_t device; /* N of /dev/tenstorrent/N */
	bool has_figure; /* the next four are set */
	uint64_t busy, window, programs;
	enum utilization_bound bound;
	bool has_running, has_last;
	uint64_t running; /* since the oldest unfinished program was launched */
	uint64_t last;	  /* since the last program ended */
	uint64_t updated; /* CLOCK_MONOTONIC */
	enum dispatch_state state;
	char operation[sizeof(((struct utilization *)0)->operation)]; /* "": none */
};

/*
 * Returns the lines in the order of the text; the caller frees *ret. -EBADMSG: malformed or
 * truncated; -EPROTONOSUPPORT: other columns; -ENOMEM.
 */
MUST_CHECK int dispatch_parse(const char *text, struct dispatch_line **ret, size_t *ret_count);
