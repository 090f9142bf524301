/*
 * Writes into a snapshot what the evidence about holders (source/hold_record.h) means, as
 * model/hold.h judges it: the processes of each device, and what is unknown about them.
 */
#pragma once

#include "basic/macros.h"
#include "source/hold_record.h"
#include "source/reported_holders.h"
#include "source/source.h"

#include <stdbool.h>

/* Sets why the holders of each device are unknown, until they are found. */
void hold_fill_begin(struct snapshot *snapshot);

/* Takes the result of each driver's list. Returns whether all were read. */
bool hold_fill_from_lists(const struct reported_holders *reported, struct snapshot *snapshot);

/* Sets the result for the devices whose driver's list was not read. */
void hold_fill_others(struct snapshot *snapshot, enum reason why);

/* Is there an entry in a driver's list without a process that belongs to it? */
bool hold_has_orphans(const struct hold_records *records, const struct snapshot *snapshot);

/*
 * Adds the processes of all records, which are sorted. saw_all: every process was examined, so that
 * an entry that no process explains is of one that is gone.
 */
MUST_CHECK int hold_fill_processes(const struct hold_records *records, bool saw_all,
				   struct sample *sample);
