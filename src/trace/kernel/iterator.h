/* For the BPF programs that print the entries of a map. */
#pragma once

#include "trace/kernel/kernel.h"

#include <bpf/bpf_tracing.h>

struct seq_file {
	unsigned long count; /* bytes that were written */
} KERNEL_STRUCT;

struct bpf_iter_meta {
	struct seq_file *seq;
	uint64_t session_id;
	uint64_t seq_num;
} KERNEL_STRUCT;

struct bpf_iter__bpf_map_elem {
	struct bpf_iter_meta *meta;
	void *key, *value; /* NULL: the end */
} KERNEL_STRUCT;

struct name {
	char text[TRACE_COMM];
};

/* Replaces bytes that would split or end the field. */
static __always_inline void name_clean(struct name *to, const char *comm)
{
	for (int i = 0; i < TRACE_COMM - 1; i++) {
		char c = comm[i];

		to->text[i] = c && ((unsigned char)c <= 0x20 || c == 0x7f) ? '_' : c;
		if (!c)
			break;
	}
	if (!to->text[0])
		to->text[0] = '-';
}
