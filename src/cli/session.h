/*
 * An observed machine: takes snapshots, keeps the last one, drops devices that were not selected,
 * and explains why there are none.
 */
#pragma once

#include "basic/buf.h"
#include "basic/root.h"
#include "model/select.h"
#include "model/snapshot.h"
#include "model/want.h"
#include "source/sampler.h"

struct session {
	struct root root;
	const struct selection *selection;
	bool deviceless; /* there is something to show without a device */
	struct sampler *sampler;
	struct want want;	   /* for the following snapshots */
	struct want asked;	   /* for the last one with processes of its own */
	struct snapshot *snapshot; /* the last one; NULL at first */
	struct buf problem;	   /* one sentence, set on failure */
};

/*
 * Returns an exit code; if it is not 0, problem has the reason. The same holds for session_take().
 */
MUST_CHECK int session_open(struct session *session, const char *root,
			    const struct selection *selection, const struct want *want);
void session_close(struct session *session);

/* Sets the fields for the following snapshots. */
void session_want(struct session *session, const struct want *want);

/*
 * Replaces the last snapshot by the next one; on failure the last one stays. If it is recent, the
 * next one may share its processes (model/reuse.h).
 */
MUST_CHECK int session_take(struct session *session);

/*
 * Takes one without keeping it, for callers that share snapshots between threads; before, for
 * rates, may be NULL.
 */
MUST_CHECK int session_next(struct session *session, const struct snapshot *before,
			    struct snapshot **ret);

/*
 * Sets keep[i] for the devices of a snapshot that a selection names. Returns an exit code; if it is
 * not 0, problem has the reason.
 */
MUST_CHECK int session_select(struct session *session, const struct selection *selection,
			      const struct snapshot *snapshot, bool *keep);

/*
 * The exit code for the last snapshot: EXIT_LOST if a device that was named, or all devices, are
 * gone, dead or not served; EXIT_NO_DRIVER or EXIT_NO_DEVICE, with the problem set, if there are
 * only cards that the driver does not serve.
 */
int session_judge(struct session *session);

/* The message for such a code, printed beside the output; NULL: none. */
const char *session_remark(const struct session *session, int code);
