/* The parts of the memory monitor, each in a file of its own. */
#pragma once

#include "render/text_line.h"
#include "render/mem_view.h"

/* Terminals below this width get shorter texts. */
#define MEM_NARROW 100

/* Peak usage: the maximum that this monitor saw, or the peak reported by a process. */
uint64_t mem_peak(const struct mem_view *view, size_t device, enum pool pool);

/* Pools with bars, peaks and growth. */
void mem_put_pools(struct text_line *line, const struct mem_view *view, size_t device);

/* Charts of DRAM and L1, once there are two samples. */
void mem_put_charts(struct text_line *line, const struct mem_view *view, size_t device);

/* The processes of a device with their growth, by memory, at most the given number. */
void mem_put_processes(struct text_line *line, const struct mem_view *view, size_t device,
		       size_t most);

/* What processes that have exited left allocated. */
void mem_put_stale_usages(struct text_line *line, const struct mem_view *view, size_t device);

/* The largest and the oldest allocations that are known. */
void mem_put_allocations(struct text_line *line, const struct mem_view *view, size_t device);
