/* The state of a chip as a whole, which is the worst that reading it showed, and its texts. */
#pragma once

#include "model/reason.h"

enum device_state {
	DEVICE_OK,
	DEVICE_NO_TELEMETRY, /* the driver exposes no readings (old firmware, or just probed) */
	DEVICE_RESETTING,
	DEVICE_TIMED_OUT,
	DEVICE_NOT_ANSWERING,
	DEVICE_LOST,	     /* present in an earlier sample only */
	DEVICE_UNREADABLE,   /* a chip without PCIe, behind another one */
	DEVICE_NO_DRIVER,    /* on the bus, without a driver */
	DEVICE_OTHER_DRIVER, /* on the bus, with another driver (vfio-pci for a virtual machine) */
};

enum { DEVICE_STATES = DEVICE_OTHER_DRIVER + 1 };

/* The values of the field "state", e.g. "lost". */
extern const char *const device_state_names[DEVICE_STATES];

/* A phrase for people, the same as the reason of its missing readings: "device lost". */
const char *device_state_text(enum device_state state);

/* A word for narrow cells: "hung"; "" for DEVICE_OK. */
const char *device_state_word(enum device_state state);
