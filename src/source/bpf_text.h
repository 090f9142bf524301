/*
 * Files that the tracer pins: BPF iterators, whose text the kernel generates for each reader. They
 * have no size and cannot be mapped or rewound, so each read opens the file, reads to its end and
 * closes it. Reading is a job, since the kernel iterates over all processes for it.
 *
 * Their pids are those of the initial pid namespace and are meaningless in others.
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

/*
 * Does a process of the tracer keep its files up to date? In a tree, it is enough that its file
 * exists.
 */
bool tracer_is_watching(const struct root *root);

/* The path must outlive it. */
void bpf_text_init(struct bpf_text *bpf_text, const struct root *root, const char *path);

/* Its job. NULL: an earlier one still hangs, or there is no such file. */
struct job *bpf_text_job(struct bpf_text *bpf_text, struct sample *sample);

/*
 * To be called after the job: the text, or NULL if it could not be read. A missing file is not an
 * error, since most machines are not traced; other errors are reported.
 */
const char *bpf_text_get(struct bpf_text *bpf_text, struct sample *sample);

/* Both, with the job run alone. */
const char *bpf_text_read(struct bpf_text *bpf_text, struct sample *sample);

/* False: its job still runs, and the memory that contains it must stay. */
bool bpf_text_done(struct bpf_text *bpf_text, struct worker_pool *workers);

/* Reports an error of reading or parsing the text. */
void bpf_text_report_error(const struct bpf_text *bpf_text, struct sample *sample, int error);
