/* Parts of the memory monitor that have a file each. */
#pragma once

#include "render/text_line.h"
#include "render/mem_view.h"

/* Terminals below this width get shorter texts. */
#define MEM_NARROW 100

/* The most that was in use: as seen by this monitor, or as one process says. */
uint64_t mem_peak(const struct mem_view *view, size_t device, enum pool pool);

/* Pools with bars, peaks and growth, and their parts. */
void mem_put_pools(struct text_line *line, const struct mem_view *view, size_t device);

/* Charts of DRAM and L1, once there are two samples. */
void mem_put_charts(struct text_line *line, const struct mem_view *view, size_t device);

/* The processes of a device and their growth, by memory, at most so many. */
void mem_put_processes(struct text_line *line, const struct mem_view *view, size_t device,
		       size_t most);

/* The largest and the oldest allocations that are known. */
void mem_put_allocations(struct text_line *line, const struct mem_view *view, size_t device);
