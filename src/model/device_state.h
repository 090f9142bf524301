/* The state of a chip as a whole, the worst that its reads showed, and the words for it. */
#pragma once

#include "model/reason.h"

enum device_state {
	DEVICE_OK,
	DEVICE_NO_TELEMETRY, /* the driver offers no reading (old firmware, or just probed) */
	DEVICE_RESETTING,
	DEVICE_TIMED_OUT,
	DEVICE_NOT_ANSWERING,
	DEVICE_LOST,	     /* it was there in an earlier sample */
	DEVICE_UNREADABLE,   /* a chip without PCIe, behind another one */
	DEVICE_NO_DRIVER,    /* on the bus without a driver */
	DEVICE_OTHER_DRIVER, /* on the bus with another driver: vfio-pci for a virtual machine */
};

enum { DEVICE_STATES = DEVICE_OTHER_DRIVER + 1 };

/* The values of the field "state": "lost". */
extern const char *const device_state_names[DEVICE_STATES];

/* A phrase for people, the same as of readings that are missing for this reason: "device lost". */
const char *device_state_text(enum device_state state);

/* A word for narrow cells, "" if the state needs none: "hung". */
const char *device_state_word(enum device_state state);
