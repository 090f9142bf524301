#include "model/reason.h"

#include "basic/macros.h"

#include <errno.h>

#define TRACE_FAULT(name, word, reason, text, ...) \
	[TRACE_##name] = { reason, "tracing unreliable: " text },
#define DISPATCH_STATE(name, word, reason, text) [UNMEASURED_##name] = { reason, text },

static const struct {
	const char *code, *text;
} reasons[REASON_N] = {
	[KNOWN] = { "known", "known" },
	[NOT_ASKED] = { "not_asked", "not requested" },
	[NOT_OFFERED] = { "not_offered", "not offered by this driver or firmware" },
	[NEVER_OFFERED] = { "never_offered", "the driver does not expose this value" },
	[DENIED] = { "permission_denied", "permission denied" },
	[RESETTING] = { "resetting", "resetting" },
	[NOT_ANSWERING] = { "not_answering", "chip not answering" },
	[TIMED_OUT] = { "timed_out", "timed out" },
	[GONE] = { "gone", "device lost" },
	[READ_ERROR] = { "read_error", "read error" },
	[MALFORMED] = { "malformed", "not understood" },
	[IMPLAUSIBLE] = { "implausible", "impossible value" },
	[NO_PCIE] = { "no_pcie", "not readable (no PCIe)" },
	[NO_TRACKER] = { "no_tracker", "not tracked" },
	[NOT_REPORTED] = { "not_reported", "not reported by its source" },
	[NEEDS_TWO_SAMPLES] = { "needs_two_samples", "needs two samples" },
	[UNKNOWN_VERSION] = { "unknown_version", "unknown version" },
	[UNKNOWN_BOARD] = { "unknown_board", "board not known" },
	[UNKNOWN_FIRMWARE] = { "unknown_firmware", "firmware version not known" },
	[STALE] = { "stale", "stale" },
	[NOT_APPLICABLE] = { "not_applicable", "not applicable" },
	[OTHER_NAMESPACE] = { "other_namespace", "in another pid namespace" },
	[HIDDEN_BY_NAMESPACE] = { "hidden_by_namespace", "hidden by this pid namespace" },
	[HOLDER_UNKNOWN] = { "holder_unknown", "opener gone, holder not visible" },
	[AMBIGUOUS_PROCESS] = { "ambiguous_process", "counters fit several processes" },
	[UNMATCHED_CHIP] = { "unmatched_chip", "counters match no device" },
	[UNTRUSTED_FILE] = { "untrusted_file", "counters in another user's file" },
	[DEVICE_LIST_INVALID] = { "device_list_invalid", "TT_VISIBLE_DEVICES not understood" },
	[DEVICE_LIST_AMBIGUOUS] = { "device_list_ambiguous", "TT_VISIBLE_DEVICES ambiguous" },
	[DEVICE_LIST_MISMATCH] = { "device_list_mismatch", "contradicts TT_VISIBLE_DEVICES" },
	[NOT_TRACED] = { "not_traced", "not traced" },
	[ETHERNET_DISPATCH] = { "ethernet_dispatch", "Ethernet dispatch is not measured" },
	[UNMATCHED_CLAIM] = { "unmatched_claim", "ambiguous chip number in the claim" },
	[NO_SERVER] = { "no_server", "no allocation server" },
	[NOT_OBSERVED] = { "not_observed", "not observed since its last reset" },
	[NO_IOMMU] = { "no_iommu", "not measured without IOMMU" },
	[NO_DRIVER] = { "no_driver", "no driver" },
	[OTHER_DRIVER] = { "other_driver", "bound to another driver" },
	TRACE_FAULTS(TRACE_FAULT) DISPATCH_STATES(DISPATCH_STATE)
};

const char *reason_text(enum reason reason)
{
	return reasons[reason].text;
}

const char *reason_code(enum reason reason)
{
	return reasons[reason].code;
}

/* Both enumerations list the faults consecutively in the order of TRACE_FAULTS. */
enum { TRACE_FAULT_SHIFT = TRACE_UNKNOWN_SHAPE - TRACE_FAULT_UNKNOWN_SHAPE };

enum reason reason_of_trace_fault(enum trace_fault fault)
{
	if (fault == TRACE_FAULT_NONE || fault >= TRACE_FAULT_N)
		return NO_TRACKER;
	return (enum reason)(fault + TRACE_FAULT_SHIFT);
}

enum trace_fault reason_trace_fault(enum reason reason)
{
	if (reason < TRACE_UNKNOWN_SHAPE || reason >= TRACE_FAULT_N + TRACE_FAULT_SHIFT)
		return TRACE_FAULT_NONE;
	return (enum trace_fault)(reason - TRACE_FAULT_SHIFT);
}

/* Both enumerations list the states consecutively in the order of DISPATCH_STATES. */
enum reason reason_of_dispatch_state(enum dispatch_state state)
{
	return (enum reason)(state - DISPATCH_NO_PROFILER + UNMEASURED_NO_PROFILER);
}

/* The errno values of the driver (kmd-abi 2.1). */
enum reason reason_of_error(int error)
{
	switch (error < 0 ? -error : error) {
	case ENOENT:
	case ENOTDIR: return NOT_OFFERED;
	case EACCES:
	case EPERM: return DENIED;
	case ENODATA: return RESETTING;
	case ENODEV:
	case ENXIO:
	case ESRCH: return GONE;
	case ETIMEDOUT: return TIMED_OUT;
	case EINVAL:
	case ERANGE:
	case EBADMSG:
	case EFBIG: return MALFORMED;
	default: return READ_ERROR;
	}
}
