/*
 * Why a value is not known. Every value of the model is known or carries one of
 * these; none is ever 0 for want of better.
 */
#pragma once

#include "basic/trace_fault.h"

#define REASON_TRACE_FAULT(name, ...) TRACE_##name,

enum reason {
	KNOWN = 0,
	NOT_ASKED, /* nobody wanted it, so nobody read it */
	NOT_OFFERED,
	NEVER_OFFERED,
	DENIED,
	RESETTING,
	NOT_ANSWERING,
	TIMED_OUT,
	GONE,
	READ_ERROR,
	MALFORMED,
	IMPLAUSIBLE,
	NO_PCIE,
	NO_TRACKER,
	NOT_REPORTED,
	NEEDS_TWO_SAMPLES,
	UNKNOWN_VERSION,
	UNKNOWN_BOARD,
	UNKNOWN_FIRMWARE,
	STALE,
	NOT_APPLICABLE,
	OTHER_NAMESPACE,
	HIDDEN_BY_NAMESPACE, /* we are in one, and cannot tell whether others have it */
	HOLDER_UNKNOWN,
	AMBIGUOUS_PROCESS,     /* TT-Metal's counters fit several processes */
	UNMATCHED_CHIP,	       /* they are for none of this machine's chips */
	UNTRUSTED_FILE,	       /* they are in a file of a user who may not speak for the process */
	DEVICE_LIST_INVALID,   /* TT_VISIBLE_DEVICES: no TT-Metal accepts it, or too long */
	DEVICE_LIST_AMBIGUOUS, /* its meaning depends on a release that is not known */
	DEVICE_LIST_MISMATCH,  /* the process holds others than it selects */
	/* TRACE_UNKNOWN_SHAPE and so on: it is traced, but its figures cannot be trusted. */
	/* clang-format off */
	TRACE_FAULTS(REASON_TRACE_FAULT)
	/* clang-format on */
	NO_DRIVER,    /* a card on the bus that no driver is bound to */
	OTHER_DRIVER, /* one that is bound to another driver than its own */
	REASON_N,
};

/* A phrase for people: "not offered by this driver". */
const char *reason_text(enum reason reason);

/* A word for programs: "not_offered". */
const char *reason_code(enum reason reason);

/* The reason that stands for a tracing fault; NO_TRACKER for none, or for a number beyond them. */
enum reason reason_of_trace_fault(enum trace_fault fault);

/* The tracing fault that a reason stands for; TRACE_FAULT_NONE for all other reasons. */
enum trace_fault reason_trace_fault(enum reason reason);

/* What a failed read of a driver's file means. */
enum reason reason_of_error(int error);
