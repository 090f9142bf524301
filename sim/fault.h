/* Simulated faults: what, where and when. */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fault_kind {
	FAULT_DEAD,	    /* the chip is off the bus: every reading is all ones */
	FAULT_RESET,	    /* a reset is in progress: ENODATA */
	FAULT_MISSING,	    /* this file does not exist */
	FAULT_NO_TELEMETRY, /* firmware publishes nothing */
	FAULT_DENIED,	    /* open of this file: EACCES */
	FAULT_EIO,	    /* read of this file: EIO */
	FAULT_SLOW,	    /* reading this file is delayed */
	FAULT_HANG,	    /* reading this file blocks */
	FAULT_FROZEN,	    /* firmware hangs: its values do not change */
	FAULT_GONE,	    /* the device is absent */
	FAULT_UNBOUND,	    /* it is on the bus without a driver */
	FAULT_VFIO,	    /* the same, bound to vfio-pci */
	FAULT_SET,	    /* this file holds this text */
	FAULT_ERRORS,	    /* this AER file counts so many errors */
	FAULT_BARS,	    /* the firmware of the machine assigned no address to its BARs */
	FAULT_LOG,	    /* the kernel log has such a record about it */
	FAULT_KILL,	    /* a workload is killed with SIGKILL */
};

struct fault {
	enum fault_kind kind;
	unsigned number; /* of the device; of the workload for FAULT_KILL */
	char attr[64];	 /* name of the file, if it affects a single one */
	char text[64];	 /* FAULT_SET, FAULT_LOG */
	int64_t from_ms; /* since the start: active in [from, to) */
	int64_t to_ms;
	uint32_t amount; /* FAULT_SLOW: milliseconds; FAULT_ERRORS: their number */
	bool done;	 /* FAULT_KILL: it has been done */
};

/* One SPEC of --fault. -EINVAL if it is not one. */
MUST_CHECK int fault_parse(const char *spec, struct fault *ret);

/* The names of the kinds that do not need FUSE, separated by commas. */
void fault_put_plain_kinds(struct buf *out);

/* Does it need FUSE, because plain files cannot behave like this? */
bool fault_needs_fuse(const struct fault *f);

bool fault_is_active(const struct fault *f, int64_t now_ms);
