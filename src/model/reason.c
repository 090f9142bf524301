#include "model/reason.h"

#include "basic/macros.h"

#include <errno.h>

static const struct {
	const char *code, *text;
} reasons[REASON_N] = {
	[KNOWN] = { "known", "known" },
	[NOT_ASKED] = { "not_asked", "not asked for" },
	[NOT_OFFERED] = { "not_offered", "not offered by this driver or firmware" },
	[NEVER_OFFERED] = { "never_offered", "no driver file tells it" },
	[DENIED] = { "permission_denied", "permission denied" },
	[RESETTING] = { "resetting", "resetting" },
	[NOT_ANSWERING] = { "not_answering", "chip not answering" },
	[TIMED_OUT] = { "timed_out", "timed out" },
	[GONE] = { "gone", "device lost" },
	[READ_ERROR] = { "read_error", "read error" },
	[MALFORMED] = { "malformed", "not understood" },
	[IMPLAUSIBLE] = { "implausible", "impossible value" },
	[NO_PCIE] = { "no_pcie", "not readable (no PCIe)" },
	[NO_TRACKER] = { "no_tracker", "no tracker" },
	[NOT_REPORTED] = { "not_reported", "not reported by its tracker" },
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
	[DEVICE_LIST_MISMATCH] = { "device_list_mismatch", "not as TT_VISIBLE_DEVICES says" },
	[TRACE_UNKNOWN_SHAPE] = { "trace_unknown_shape", "tracing unreliable: unknown library" },
	[TRACE_SINGLE_STEP] = { "trace_single_step", "tracing unreliable: probe too slow" },
	[TRACE_MISSED_FREE] = { "trace_missed_free", "tracing unreliable: missed a free" },
	[TRACE_MAP_FULL] = { "trace_map_full", "tracing unreliable: too many buffers" },
	[TRACE_NO_THROW] = { "trace_no_throw", "tracing unreliable: failures not seen" },
	[TRACE_MESH] = { "trace_mesh", "tracing unreliable: mesh not resolved" },
	[TRACE_NO_ANSWER] = { "trace_no_answer", "tracing unreliable: files do not answer" },
	[NO_DRIVER] = { "no_driver", "no driver" },
	[OTHER_DRIVER] = { "other_driver", "bound to another driver" },
};

const char *reason_text(enum reason reason)
{
	return reasons[reason].text;
}

const char *reason_code(enum reason reason)
{
	return reasons[reason].code;
}

/* kmd-abi 2.1: which errno the driver gives when. */
bool reason_is_doubt(enum reason reason)
{
	return reason >= TRACE_UNKNOWN_SHAPE && reason <= TRACE_NO_ANSWER;
}

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
