/* Many probes on one file with one BPF link (Linux 6.6 and later). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* BPF_TRACE_UPROBE_MULTI, which the headers of libbpf 1.1 lack. */
#define UPROBE_MULTI_ATTACH_TYPE ((enum bpf_attach_type)48)

bool uprobe_multi_is_supported(void);

/*
 * Attaches a program to count offsets of a file, each with its cookie. Returns the link, or -errno.
 */
int uprobe_multi_link(int program, const char *path, const uint64_t *offsets,
		      const uint64_t *cookies, uint32_t count);
