#include "source/bpf_text.h"

#include "basic/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* A hundred thousand lines of about 130 bytes. */
static const size_t text_limit = 16 << 20;

void bpf_text_init(struct bpf_text *bpf_text, const struct root *root, const char *path)
{
	*bpf_text = (struct bpf_text){ .path = path, .root = root };
}

/* The kernel gives the initial namespace this number, on every machine. */
bool in_initial_pid_namespace(void)
{
	char link[32];

	return file_readlink(AT_FDCWD, "/proc/self/ns/pid", link, sizeof(link)) > 0 &&
	       strcmp(link, "pid:[4026531836]") == 0;
}

static void bpf_text_read(void *arg)
{
	struct bpf_text *bpf_text = arg;

	bpf_text->error =
		root_read_all(bpf_text->root, bpf_text->path, text_limit, &bpf_text->text);
	/* Checked last, since most machines have no such file. */
	if (bpf_text->error >= 0 && bpf_text->root->live && !in_initial_pid_namespace())
		bpf_text->error = -ENOENT;
}

/* Most machines are not traced; finding that out needs no job. */
static bool is_absent(const struct bpf_text *bpf_text)
{
	int r = root_access(bpf_text->root, bpf_text->path, F_OK);

	return r == -ENOENT || r == -ENOTDIR;
}

struct job *bpf_text_job(struct bpf_text *bpf_text, struct worker_pool *workers)
{
	if (job_is_busy(workers, &bpf_text->job))
		return NULL;
	bpf_text->absent = is_absent(bpf_text);
	if (bpf_text->absent)
		return NULL;
	bpf_text->job = (struct job){ .run = bpf_text_read, .arg = bpf_text };
	return &bpf_text->job;
}

static bool is_ordinary(int error)
{
	return error == -ENOENT || error == -ENOTDIR || error == -EACCES || error == -EPERM;
}

const char *bpf_text_get(struct bpf_text *bpf_text, struct sample *sample)
{
	if (bpf_text->absent)
		return NULL;
	if (!job_is_done(sample->workers, &bpf_text->job)) {
		bpf_text_complain(bpf_text, sample, -ETIMEDOUT);
		return NULL;
	}
	if (bpf_text->error >= 0)
		return buf_text(&bpf_text->text);
	if (!is_ordinary(bpf_text->error))
		bpf_text_complain(bpf_text, sample, bpf_text->error);
	return NULL;
}

void bpf_text_complain(const struct bpf_text *bpf_text, struct sample *sample, int error)
{
	const char *text = strerror(-error);

	if (error == -EBADMSG)
		text = "not understood";
	else if (error == -EPROTONOSUPPORT)
		text = "written by another version of the tracer";
	else if (error == -ETIMEDOUT)
		text = reason_text(TIMED_OUT);
	snapshot_complain(sample->snapshot, "traced", "/%s: %s", bpf_text->path, text);
}

void bpf_text_done(struct bpf_text *bpf_text, struct worker_pool *workers)
{
	if (!job_is_busy(workers, &bpf_text->job))
		buf_done(&bpf_text->text);
}
