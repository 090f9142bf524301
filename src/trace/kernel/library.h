/* For the BPF programs at hooks: the library of a probe, and the memory of its process. */
#pragma once

#include "trace/kernel/kernel.h"

static __always_inline bool read_user(void *to, uint32_t size, uint64_t from)
{
	return bpf_probe_read_user(to, size, (const void *)from) == 0;
}

static __always_inline struct trace_library *library_find(uint32_t id)
{
	uint32_t place = id % TRACE_LIBRARIES;
	struct trace_library *library = bpf_map_lookup_elem(&libraries, &place);

	return library && library->id == id ? library : NULL;
}
