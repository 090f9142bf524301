/*
 * The interface of the test double, the same for all variants. Failures throw std::exception
 * through these functions, as in the real library.
 */
#pragma once

#include <cstdint>

extern "C" {
void *double_open(int chip);
void *double_open_mesh(const int *chips, int count);
void double_close(void *device);	      /* frees all its buffers, then closes it */
void double_deallocate_buffers(void *device); /* frees all its buffers */
void *double_allocator(void *device);

/* Types are TT-Metal's: 0 DRAM, 1 L1, 2 system memory, 3 L1_SMALL, 4 trace. */
void *double_allocate(void *device, int type, uint64_t size);
void *double_allocate_at(void *device, int type, uint64_t size, uint64_t address);
void *double_view(void *buffer, uint64_t size); /* of a buffer of one device */
void double_free(void *buffer, bool explicitly);

void double_dry_run(bool on); /* of this thread */
void double_complain(void);   /* throws an exception outside of an allocation */

/*
 * Command queues of a device or mesh, and the profiler of its chips where the release has it.
 * Null before v0.57. Chips are identified by their index in the mesh. The caller acts as the chip:
 * it writes pages of 16 words to the chip's FIFO, and completes events.
 */
struct double_dispatch {
	int queues;
	bool slow;	     /* slow dispatch: no events, no profiler */
	bool huge_page;	     /* the FIFO is in a huge page, and DMA is not snooped */
	uint32_t page_size;  /* of the FIFO: 64, or wrong */
	uint64_t unprofiled; /* bit per chip that the profiler does not cover */
	unsigned poll_us;    /* the receiver's longest pause; 0: the release's own */
	/* The first chip's counter at a time of the host, and by how much each further one is
	 * ahead. */
	uint64_t anchor_ticks; /* 0: not synchronised */
	int64_t anchor_ns;
	double ticks_per_ns;
};
#define DOUBLE_TICKS_APART UINT64_C(0x123456789)

#define DOUBLE_WEAK __attribute__((weak))
int double_release(void) DOUBLE_WEAK;
void *double_open_queues(void *device, const double_dispatch *options) DOUBLE_WEAK;
void double_close_queues(void *queues) DOUBLE_WEAK;
void double_enqueue(void *queues, int queue, uint64_t runtime_id, const char *name) DOUBLE_WEAK;
void double_capture(void *queues, int queue, bool on) DOUBLE_WEAK; /* of a trace */
void double_enqueue_trace(void *queues, int queue, uint32_t trace) DOUBLE_WEAK;
uint32_t double_record_event(void *queues, int queue) DOUBLE_WEAK;
void double_complete(void *queues, int queue, uint32_t event) DOUBLE_WEAK;
void double_finish(void *queues, int queue, uint32_t event) DOUBLE_WEAK; /* waits for it */
/* `count` calls of traced functions with objects that TT-Metal did not make. */
void double_flood(void *queues, uint64_t count) DOUBLE_WEAK;
/* False: no room in the FIFO. */
bool double_push(void *queues, int chip, const uint32_t *page) DOUBLE_WEAK;
bool double_profiled(void *queues, int chip) DOUBLE_WEAK;
bool double_take_sync_request(void *queues) DOUBLE_WEAK;
void double_run_receiver(void *queues, bool on) DOUBLE_WEAK;
/* Where a member of the profiler's objects is: names in profiler.cpp. */
bool double_address(void *queues, int chip, const char *what, uint64_t *address,
		    int *size) DOUBLE_WEAK;
}
