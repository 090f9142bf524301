/*
 * Why a value is unknown. Every value of the model is either KNOWN or has one of these reasons; an
 * unknown value is never shown as 0.
 */
#pragma once

#include "basic/dispatch_state.h"
#include "basic/trace_fault.h"

#define REASON_TRACE_FAULT(name, ...)	 TRACE_##name,
#define REASON_DISPATCH_STATE(name, ...) UNMEASURED_##name,

enum reason {
	KNOWN = 0,
	NOT_ASKED, /* not read, since no output shows it */
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
	HIDDEN_BY_NAMESPACE, /* processes outside this pid namespace may have it open */
	HOLDER_UNKNOWN,
	AMBIGUOUS_PROCESS, /* TT-Metal's counters fit several processes */
	UNMATCHED_CHIP,	   /* the counters belong to a chip that this machine does not have */
	/* the counters are in a file whose owner is neither root nor the user of the process */
	UNTRUSTED_FILE,
	DEVICE_LIST_INVALID,   /* TT_VISIBLE_DEVICES: not accepted by any TT-Metal, or too long */
	DEVICE_LIST_AMBIGUOUS, /* TT_VISIBLE_DEVICES: its meaning depends on an unknown release */
	/* TT_VISIBLE_DEVICES: the process holds other devices than it selects */
	DEVICE_LIST_MISMATCH,
	/*
	 * TRACE_UNKNOWN_SHAPE and so on: the process is traced, but its figures cannot be trusted.
	 */
	/* clang-format off */
	TRACE_FAULTS(REASON_TRACE_FAULT)
	/* clang-format on */
	/*
	 * UNMEASURED_NO_PROFILER and so on: why the tracer has no figure of compute utilisation.
	 */
	/* clang-format off */
	DISPATCH_STATES(REASON_DISPATCH_STATE)
	/* clang-format on */
	NOT_TRACED,	   /* nothing measures compute utilisation */
	ETHERNET_DISPATCH, /* programs are dispatched over Ethernet cores, which are not measured */
	UNMATCHED_CLAIM,   /* a prepared chip may be this device, but its number may mean another */
	NO_SERVER,	   /* only the allocation server would know */
	NOT_OBSERVED,	   /* the tracer did not run since the last reset */
	NO_IOMMU,	   /* TT-Metal measures this chip only if the machine has an IOMMU */
	NO_DRIVER,	   /* a card on the bus without a driver */
	OTHER_DRIVER,	   /* a card on the bus with a foreign driver */
	REASON_N,
};

/* A phrase for people, e.g. "not offered by this driver". */
const char *reason_text(enum reason reason);

/* A word for programs, e.g. "not_offered". */
const char *reason_code(enum reason reason);

/* The reason for a tracing fault; NO_TRACKER for none, or for an unknown number. */
enum reason reason_of_trace_fault(enum trace_fault fault);

/* The tracing fault of a reason; TRACE_FAULT_NONE if it is not a tracing fault. */
enum trace_fault reason_trace_fault(enum reason reason);

/* The reason for a state that is not DISPATCH_OK. */
enum reason reason_of_dispatch_state(enum dispatch_state state);

/* The reason for an errno from reading a driver's file. */
enum reason reason_of_error(int error);
