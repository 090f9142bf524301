/*
 * The record of a finished process on one device, kept by the allocation server.
 */
#pragma once

#include "model/allocation.h"
#include "model/field.h"

enum accounted_field {
	ACCOUNT_PID,
	ACCOUNT_NAME,
	ACCOUNT_USER,
	ACCOUNT_UID,
	ACCOUNT_START,
	ACCOUNT_END,
	ACCOUNT_TIME,
	ACCOUNT_PEAK, /* the first of one per pool, in the order of enum pool */
	ACCOUNT_PEAK_LAST = ACCOUNT_PEAK + POOL_COUNT - 1,
	ACCOUNT_EXIT,
	ACCOUNT_N_FIELDS,
};

struct accounted {
	uint8_t why[ACCOUNT_N_FIELDS];
	size_t device; /* index in the snapshot; SIZE_MAX: not a device of this machine */

	int32_t pid;
	char name[64];
	char user[33];
	uint32_t uid;
	double start_time, end_time; /* Unix time */
	double time;		     /* between them */
	uint64_t peaks[POOL_COUNT];
	char exit[32]; /* "0", or "signal 9" */
	int signal;    /* the same; 0: none */
};

extern const struct field_table accounted_fields;

/* All values are unknown: its tracker did not report them. */
void accounted_init(struct accounted *account, int32_t pid);

/* status: as returned by waitpid(). */
void accounted_set_exit(struct accounted *account, int status);
