/* For the BPF programs that print the entries of a map. */
#pragma once

#include "trace/kernel/kernel.h"

#include <bpf/bpf_tracing.h>

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
	uint64_t session_id;
	uint64_t seq_num;
} KERNEL_STRUCT;

struct bpf_iter__bpf_map_elem {
	struct bpf_iter_meta *meta;
	void *key, *value; /* NULL: the end */
} KERNEL_STRUCT;
