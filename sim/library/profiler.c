#include "profiler.h"

#include "functions.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/mman.h>

/* The upper halves of ticks are not zero, and the lower ones overflow soon. */
#define FIRST_TICK UINT64_C(0x4c0000000)

/* A page for the counter follows the FIFO. */
#define RING_BYTES (FIFO_SIZE + 4096)

static struct ring *ring_new(void)
{
	struct ring *ring = calloc(1, sizeof(*ring));

	if (!ring)
		return NULL;
	ring->host_buffer =
		mmap(NULL, RING_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (ring->host_buffer == MAP_FAILED) {
		free(ring);
		return NULL;
	}
	ring->fifo_size = ring->fifo_curr_size = FIFO_SIZE;
	ring->page_size = PAGE_SIZE;
	ring->bytes_sent_ptr = (uint32_t *)(void *)(ring->host_buffer + FIFO_SIZE);
	return ring;
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static bool add_chip(struct profiler_manager *manager, const struct sim_chip *chip)
{
	struct device_state *state = manager->end;

	*state = (struct device_state){
		.device = manager,
		.chip = chip->id,
		.socket = ring_new(),
		.first_timestamp = FIRST_TICK,
		.sync_host_start = now_ns(),
		.sync_frequency = chip->ticks_per_ns,
	};
	if (!state->socket)
		return false;
	manager->end++;
	profiler_on(chip->id);
	return true;
}

struct profiler_manager *profiler_open(const struct sim_chip *chips, size_t count)
{
	struct profiler_manager *manager = calloc(1, sizeof(*manager));

	if (!manager)
		return NULL;
	manager->begin = manager->end = calloc(count, sizeof(*manager->begin));
	manager->room = manager->begin + count;
	for (size_t i = 0; i < count; i++) {
		if (!manager->begin || (chips[i].is_profiled && !add_chip(manager, &chips[i]))) {
			profiler_close(manager);
			return NULL;
		}
	}
	return manager;
}

void profiler_close(struct profiler_manager *manager)
{
	for (struct device_state *state = manager->begin; state < manager->end; state++) {
		profiler_off(state->chip);
		munmap(state->socket->host_buffer, RING_BYTES);
		free(state->socket);
	}
	free(manager->begin);
	free(manager);
}

struct device_state *profiler_find(struct profiler_manager *manager, uint32_t chip)
{
	for (struct device_state *state = manager->begin; state < manager->end; state++)
		if (state->chip == chip)
			return state;
	return NULL;
}

static uint64_t tick_of(const struct device_state *state, int64_t ns)
{
	return state->first_timestamp +
	       (uint64_t)(int64_t)((double)(ns - state->sync_host_start) * state->sync_frequency);
}

/* The chip knows the low 16 bits of the number, and records no program for which they are zero. */
void profiler_write(struct device_state *state, const struct sim_run *run)
{
	uint64_t start = tick_of(state, run->start), end = tick_of(state, run->end);
	struct ring *ring = state->socket;
	uint32_t sent = *ring->bytes_sent_ptr;
	const uint32_t page[PAGE_WORDS] = {
		(uint32_t)(start >> 32), (uint32_t)start, (uint16_t)run->id, 0,
		(uint32_t)(end >> 32),	 (uint32_t)end,
	};

	if (page[2] == 0 || sent - ring->bytes_acked + PAGE_SIZE > FIFO_SIZE)
		return;
	memcpy(ring->host_buffer + sent % FIFO_SIZE, page, PAGE_SIZE);
	__atomic_store_n(ring->bytes_sent_ptr, sent + PAGE_SIZE, __ATOMIC_RELEASE);
}

/* Reads up to PUBLISH_MAX pages, and returns their number. */
static uint32_t read_pages(struct ring *ring, uint32_t *pages)
{
	uint32_t bytes, head;

	ring->bytes_sent = __atomic_load_n(ring->bytes_sent_ptr, __ATOMIC_ACQUIRE);
	bytes = ring->bytes_sent - ring->bytes_acked;
	if (bytes > PUBLISH_MAX * PAGE_SIZE)
		bytes = PUBLISH_MAX * PAGE_SIZE;
	head = FIFO_SIZE - ring->read_ptr;
	if (head > bytes)
		head = bytes;
	memcpy(pages, ring->host_buffer + ring->read_ptr, head);
	memcpy((uint8_t *)pages + head, ring->host_buffer, bytes - head);
	ring->read_ptr = (ring->read_ptr + bytes) % FIFO_SIZE;
	ring->bytes_acked += bytes;
	return bytes / PAGE_SIZE;
}

void profiler_receive(struct profiler_manager *manager)
{
	static uint32_t pages[PUBLISH_MAX * PAGE_WORDS];

	for (struct device_state *state = manager->begin; state < manager->end; state++) {
		uint32_t count;
		void *records[3] = { NULL }; /* an empty std::vector */

		while ((count = read_pages(state->socket, pages)))
			profiler_publish(manager, state, pages, count, records);
	}
	profiler_check_sync(manager);
}
