/*
 * Files that the tracer pins: BPF iterators of the kernel, which generate a text for every reader.
 * They have no size and cannot be mapped or rewound, so each read opens the file, reads to its end
 * and closes it. It is a job, since the kernel visits all of its processes for it.
 *
 * Their pids are those of the initial pid namespace and mean nothing in any other.
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

/* Is this process in the initial pid namespace, so that these pids are valid here? */
bool in_initial_pid_namespace(void);

/* The path must outlive it. */
void bpf_text_init(struct bpf_text *bpf_text, const struct root *root, const char *path);

/* Its job. NULL: an earlier one still hangs, or there is no such file. */
struct job *bpf_text_job(struct bpf_text *bpf_text, struct worker_pool *workers);

/*
 * After the job was run: the text, or NULL if it could not be read. That there is no such file is
 * not reported, since most machines are not traced; any other error is.
 */
const char *bpf_text_get(struct bpf_text *bpf_text, struct sample *sample);

/* Must not be called while its job runs. */
void bpf_text_done(struct bpf_text *bpf_text, struct worker_pool *workers);

/* Reports an error of reading or parsing the text. */
void bpf_text_complain(const struct bpf_text *bpf_text, struct sample *sample, int error);
