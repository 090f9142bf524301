/*
 * The files that the tracer pins: iterators of the kernel, which write a text
 * anew for every reader. They have no size and cannot be mapped or read again, so
 * they are opened, read to the end and closed; as a job, since the kernel walks
 * over all its processes for it.
 *
 * Their pids are those of the initial namespace: in any other they name nobody.
 */
#pragma once

#include "model/reason.h"
#include "proto/traced.h"
#include "source/source.h"

struct bpf_text {
	const char *path; /* below the root */
	const struct root *root;
	struct job job;
	bool absent; /* there is no such file */
	int error;
	struct buf text;
};

/* Do their pids mean anything to this process: is it in the initial namespace? */
bool in_initial_pid_namespace(void);

/* The path stays the caller's. */
void bpf_text_init(struct bpf_text *bpf_text, const struct root *root, const char *path);

/* Its job, or NULL: an earlier one still hangs, or there is nothing to read. */
struct job *bpf_text_job(struct bpf_text *bpf_text, struct worker_pool *workers);

/*
 * After the job was run: the text, or NULL if there is none to be had. That nobody
 * traces is an ordinary case; anything else is said.
 */
const char *bpf_text_get(struct bpf_text *bpf_text, struct sample *sample);

/* Not while its job hangs. */
void bpf_text_done(struct bpf_text *bpf_text, struct worker_pool *workers);

/* The text is not what it should be: says so. */
void bpf_text_complain(const struct bpf_text *bpf_text, struct sample *sample, int error);
