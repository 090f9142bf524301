#include "source/pinned.h"

#include "basic/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* Lines of some 130 bytes: a hundred thousand of them. */
static const size_t text_limit = 16 << 20;

void pinned_init(struct pinned *pinned, const struct root *root, const char *path)
{
	*pinned = (struct pinned){ .path = path, .root = root };
}

/* The kernel gives the initial namespace this number, on every machine. */
bool pinned_names_ours(void)
{
	char link[32];

	return file_readlink(AT_FDCWD, "/proc/self/ns/pid", link, sizeof(link)) > 0 &&
	       strcmp(link, "pid:[4026531836]") == 0;
}

static void pinned_read(void *arg)
{
	struct pinned *pinned = arg;

	pinned->error = root_read_all(pinned->root, pinned->path, text_limit, &pinned->text);
	/* Asked last: most machines have no such file. */
	if (pinned->error >= 0 && pinned->root->live && !pinned_names_ours())
		pinned->error = -ENOENT;
}

/* On most machines nobody traces: that takes no job to find out. */
static bool is_absent(const struct pinned *pinned)
{
	int r = root_access(pinned->root, pinned->path, F_OK);

	return r == -ENOENT || r == -ENOTDIR;
}

struct job *pinned_job(struct pinned *pinned, struct worker_pool *workers)
{
	if (job_is_busy(workers, &pinned->job))
		return NULL;
	pinned->absent = is_absent(pinned);
	if (pinned->absent)
		return NULL;
	pinned->job = (struct job){ .run = pinned_read, .arg = pinned };
	return &pinned->job;
}

static bool is_ordinary(int error)
{
	return error == -ENOENT || error == -ENOTDIR || error == -EACCES || error == -EPERM;
}

const char *pinned_text(struct pinned *pinned, struct sample *sample)
{
	if (pinned->absent)
		return NULL;
	if (!job_is_done(sample->workers, &pinned->job)) {
		pinned_complain(pinned, sample, -ETIMEDOUT);
		return NULL;
	}
	if (pinned->error >= 0)
		return buf_text(&pinned->text);
	if (!is_ordinary(pinned->error))
		pinned_complain(pinned, sample, pinned->error);
	return NULL;
}

void pinned_complain(const struct pinned *pinned, struct sample *sample, int error)
{
	const char *text = strerror(-error);

	if (error == -EBADMSG)
		text = "not understood";
	else if (error == -EPROTONOSUPPORT)
		text = "written by another version of the tracer";
	else if (error == -ETIMEDOUT)
		text = reason_text(TIMED_OUT);
	snapshot_complain(sample->snapshot, "traced", "/%s: %s", pinned->path, text);
}

void pinned_done(struct pinned *pinned, struct worker_pool *workers)
{
	if (!job_is_busy(workers, &pinned->job))
		buf_done(&pinned->text);
}

static const enum reason reasons[TRACED_DOUBTS] = {
	[TRACED_NO_DOUBT] = NO_TRACKER,
	[TRACED_UNKNOWN_SHAPE] = TRACE_UNKNOWN_SHAPE,
	[TRACED_SINGLE_STEP] = TRACE_SINGLE_STEP,
	[TRACED_MISSED_FREE] = TRACE_MISSED_FREE,
	[TRACED_MAP_FULL] = TRACE_MAP_FULL,
	[TRACED_NO_THROW] = TRACE_NO_THROW,
	[TRACED_MESH] = TRACE_MESH,
	[TRACED_NO_ANSWER] = TRACE_NO_ANSWER,
};

enum reason pinned_doubt_reason(enum traced_doubt doubt)
{
	return doubt < TRACED_DOUBTS ? reasons[doubt] : NO_TRACKER;
}

enum traced_doubt pinned_reason_doubt(enum reason why)
{
	for (enum traced_doubt i = TRACED_NO_DOUBT + 1; i < TRACED_DOUBTS; i++)
		if (reasons[i] == why)
			return i;
	return TRACED_NO_DOUBT;
}
