/*
 * The test double for programs that do not care which variant it is. What fails throws
 * std::exception through these functions, as the library's own would.
 */
#pragma once

#include <cstdint>

extern "C" {
void *double_open(int chip);
void *double_open_mesh(const int *chips, int count);
void double_close(void *device);	      /* bulk free, then gone */
void double_deallocate_buffers(void *device); /* bulk free only */
void *double_allocator(void *device);

/* Types are TT-Metal's: 0 DRAM, 1 L1, 2 system memory, 3 L1_SMALL, 4 trace. */
void *double_allocate(void *device, int type, uint64_t size);
void *double_allocate_at(void *device, int type, uint64_t size, uint64_t address);
void *double_view(void *buffer, uint64_t size); /* not of a mesh's */
void double_free(void *buffer, bool explicitly);

void double_dry_run(bool on); /* of this thread */
void double_complain(void);   /* throws, with no allocation under way */
}
