/* The machines of a simulated fleet: their names, racks and faults, all by their number. */
#pragma once

#include "basic/macros.h"

#include <stddef.h>

enum { MAX_FLEET = 100000 };

enum fleet_fault {
	FLEET_NO_FAULT,
	FLEET_DOWN,    /* its first device does not answer */
	FLEET_HOT,     /* its last device is one degree below the limit where it slows down */
	FLEET_MISSING, /* its last device is not there */
	FLEET_DIRTY,   /* a job on its first device was killed */
	FLEET_NARROW,  /* the link of its first device with several lanes has half of them */
	FLEET_FAULTS,
};

extern const char *const fleet_fault_names[FLEET_FAULTS];

/* Machines are numbered from 1. Of each 25 consecutive ones five have a fault. */
enum fleet_fault fleet_machine_fault(unsigned number);

enum { FLEET_NAME = 16 };

/* "node0001", and the rack of its eight machines, "rack001". */
void fleet_machine_name(unsigned number, char ret[static FLEET_NAME]);
void fleet_machine_rack(unsigned number, char ret[static FLEET_NAME]);

/* The number of the machine with a name of this length. 0: that is no name of a machine. */
unsigned fleet_machine_find(const char *name, size_t length);
