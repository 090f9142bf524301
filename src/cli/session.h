/*
 * A machine under observation: takes snapshots, keeps the last one, drops what was
 * not selected, and explains why there is nothing.
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
	struct sampler *sampler;
	struct snapshot *snapshot; /* the last one, NULL at first */
	struct buf problem;	   /* one sentence, after a failure */
};

/* An exit code; if it is not 0, problem has the reason. The same holds for session_take(). */
MUST_CHECK int session_open(struct session *session, const char *root,
			    const struct selection *selection, const struct want *want);
void session_close(struct session *session);

/* From the next snapshot on. */
void session_want(struct session *session, const struct want *want);

/* Replaces the last snapshot by the next one; on failure the last one stays. */
MUST_CHECK int session_take(struct session *session);

/*
 * One without keeping it, for callers that share snapshots between threads; before, for
 * rates, may be NULL.
 */
MUST_CHECK int session_next(struct session *session, const struct snapshot *before,
			    struct snapshot **ret);

/*
 * The exit code for the last snapshot: EXIT_LOST if a device that was named, or all there
 * are, is gone, dead or not served; EXIT_NO_DRIVER or EXIT_NO_DEVICE, with the problem, if
 * there are only cards that the driver does not serve.
 */
int session_judge(struct session *session);

/* The message that goes with such a code, beside the output; NULL: none. */
const char *session_remark(const struct session *session, int code);
