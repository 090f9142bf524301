/* What goes wrong, where and when. */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fault_kind {
	FAULT_DEAD,	    /* the chip is off the bus: every reading is all ones */
	FAULT_RESET,	    /* a reset is under way: ENODATA */
	FAULT_MISSING,	    /* this file does not exist */
	FAULT_NO_TELEMETRY, /* firmware has published nothing */
	FAULT_DENIED,	    /* open of this file: EACCES */
	FAULT_EIO,	    /* read of this file: EIO */
	FAULT_SLOW,	    /* read of this file takes so long */
	FAULT_HANG,	    /* read of this file does not return */
	FAULT_FROZEN,	    /* firmware hangs: its values stay as they are */
	FAULT_GONE,	    /* the device is not there */
	FAULT_UNBOUND,	    /* it is on the bus, and no driver is bound to it */
	FAULT_VFIO,	    /* the same, bound to vfio-pci */
	FAULT_SET,	    /* this file holds this text */
	FAULT_KILL,	    /* a workload gets SIGKILL */
};

struct fault {
	enum fault_kind kind;
	unsigned number; /* of the device; of the workload for FAULT_KILL */
	char attr[64];	 /* name of the file, for those that concern one */
	char text[64];	 /* FAULT_SET */
	int64_t from_ms; /* since the start: in [from, to) */
	int64_t to_ms;
	int64_t delay_ms; /* FAULT_SLOW */
	bool done;	  /* FAULT_KILL: it has been done */
};

/* One SPEC of --fault. -EINVAL if it is not one. */
MUST_CHECK int fault_parse(const char *spec, struct fault *ret);

/* Can plain files not show this? */
bool fault_needs_fuse(const struct fault *f);

bool fault_is_active(const struct fault *f, int64_t now_ms);
