/*
 * The kernel log of the machine, in the form in which /dev/kmsg returns it.
 */
#pragma once

#include "machine.h"

/* Is there such a record for --fault log:N=NAME? */
bool kmsg_has(const char *name);

void kmsg_write(struct machine *m);
