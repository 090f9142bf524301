#include "source/bpf_text.h"

#include "basic/file.h"
#include "source/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

/* A hundred thousand lines of about 130 bytes. */
static const size_t text_limit = 16 << 20;

void bpf_text_init(struct bpf_text *bpf_text, const struct root *root, const char *path)
{
	*bpf_text = (struct bpf_text){ .path = path, .root = root };
}

/* The kernel gives the initial namespace this inode number on every machine. */
bool in_initial_pid_namespace(void)
{
	char link[32];

	return file_readlink(AT_FDCWD, "/proc/self/ns/pid", link, sizeof(link)) > 0 &&
	       strcmp(link, "pid:[4026531836]") == 0;
}

/* Any user can start a program with that name, but only root can write this file. */
bool tracer_is_watching(const struct root *root)
{
	char text[1024], path[32];
	struct procfs_stat stat;
	unsigned long long start;
	unsigned pid;

	if (root_read(root, TRACED_WATCHER, text, sizeof(text)) <= 0 ||
	    sscanf(text, "%u %llu", &pid, &start) != 2)
		return false;
	if (!root->live)
		return true;
	snprintf(path, sizeof(path), "proc/%u/stat", pid);
	return root_read(root, path, text, sizeof(text)) > 0 &&
	       procfs_parse_stat(text, &stat) == 0 && stat.start_ticks == start;
}

static void run_read(void *arg)
{
	struct bpf_text *bpf_text = arg;

	bpf_text->error =
		root_read_all(bpf_text->root, bpf_text->path, text_limit, &bpf_text->text);
	/* Checked last, since most machines have no such file. */
	if (bpf_text->error >= 0 && bpf_text->root->live && !in_initial_pid_namespace())
		bpf_text->error = -ENOENT;
}

static bool is_absent(const struct root *root, const char *path)
{
	int r = root_access(root, path, F_OK);

	return r == -ENOENT || r == -ENOTDIR;
}

/* Most machines are not traced. Finding that out needs no job, and one check for all files. */
static bool is_traced(struct sample *sample)
{
	if (!sample->tracer_checked)
		sample->is_traced = !is_absent(sample->root, TRACED_FOLDER);
	sample->tracer_checked = true;
	return sample->is_traced;
}

struct job *bpf_text_job(struct bpf_text *bpf_text, struct sample *sample)
{
	if (job_is_busy(sample->workers, &bpf_text->job))
		return NULL;
	bpf_text->absent = !is_traced(sample) || is_absent(bpf_text->root, bpf_text->path);
	if (bpf_text->absent)
		return NULL;
	bpf_text->job = (struct job){ .run = run_read, .arg = bpf_text };
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
		bpf_text_report_error(bpf_text, sample, -ETIMEDOUT);
		return NULL;
	}
	if (bpf_text->error >= 0)
		return buf_text(&bpf_text->text);
	if (!is_ordinary(bpf_text->error))
		bpf_text_report_error(bpf_text, sample, bpf_text->error);
	return NULL;
}

const char *bpf_text_read(struct bpf_text *bpf_text, struct sample *sample)
{
	struct job *job = bpf_text_job(bpf_text, sample);

	if (job)
		worker_pool_run(sample->workers, &job, 1, sample->deadline_ns);
	return bpf_text_get(bpf_text, sample);
}

void bpf_text_report_error(const struct bpf_text *bpf_text, struct sample *sample, int error)
{
	const char *text = strerror(-error);

	if (error == -EBADMSG)
		text = "not understood";
	else if (error == -EPROTONOSUPPORT)
		text = "written by another version of the tracer";
	else if (error == -ETIMEDOUT)
		text = reason_text(TIMED_OUT);
	snapshot_add_problem(sample->snapshot, "traced", "/%s: %s", bpf_text->path, text);
}

bool bpf_text_done(struct bpf_text *bpf_text, struct worker_pool *workers)
{
	if (job_is_busy(workers, &bpf_text->job))
		return false;
	buf_done(&bpf_text->text);
	return true;
}
