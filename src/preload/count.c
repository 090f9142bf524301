#include "preload/count.h"

#include "alloc/process.h"
#include "metal/buffer_check.h"
#include "preload/live.h"
#include "preload/notice.h"
#include "preload/programs.h"
#include "preload/start.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum count_phase { COUNT_NEW, COUNT_ON, COUNT_OFF };

/*
 * Zeroed by the kernel in a forked child (MADV_WIPEONFORK), which owns none of its parent's
 * buffers.
 */
struct state {
	uint32_t phase;		/* enum count_phase */
	struct hash_table live; /* protected by the lock of the table */
};

static struct state *the_state;
static bool withdrawn; /* counting has stopped for good */

static struct state *state_new(void)
{
	struct state *first = NULL, *state;
	int saved = errno;

	state = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	if (state != MAP_FAILED &&
	    (madvise(state, sizeof(*state), MADV_WIPEONFORK) < 0 ||
	     !__atomic_compare_exchange_n(&the_state, &first, state, 0, __ATOMIC_ACQ_REL,
					  __ATOMIC_ACQUIRE))) {
		munmap(state, sizeof(*state));
		state = first; /* that of another thread; NULL if madvise() failed */
	}
	errno = saved;
	return state == MAP_FAILED ? NULL : state;
}

/* NULL: this process is not counted. */
static struct state *state_get(void)
{
	struct state *state = __atomic_load_n(&the_state, __ATOMIC_ACQUIRE);
	uint32_t phase;

	if (!state)
		state = state_new();
	if (!state || __atomic_load_n(&withdrawn, __ATOMIC_RELAXED))
		return NULL;
	phase = __atomic_load_n(&state->phase, __ATOMIC_RELAXED);
	if (phase == COUNT_NEW) {
		phase = start_is_counted() ? COUNT_ON : COUNT_OFF;
		__atomic_store_n(&state->phase, phase, __ATOMIC_RELAXED);
	}
	return phase == COUNT_ON ? state : NULL;
}

/* Stops counting and removes the table, since its figures would be wrong from now on. */
static void withdraw(const struct library *library, const char *why)
{
	if (__atomic_exchange_n(&withdrawn, true, __ATOMIC_RELAXED))
		return;
	process_withdraw();
	notice(library->path, why);
}

/* Warns once. A child process may still be able to create a table. */
static void warn_no_table(const struct library *library)
{
	static bool warned;

	if (!__atomic_exchange_n(&warned, true, __ATOMIC_RELAXED))
		notice(library->path, "cannot create a table (resource limits of this process, "
				      "or no memory): device memory is not counted");
}

static uint64_t word_at(const void *object, size_t offset)
{
	uint64_t word;

	memcpy(&word, (const char *)object + offset, sizeof(word));
	return word;
}

static uint8_t byte_at(const void *object, size_t offset)
{
	return ((const uint8_t *)object)[offset];
}

/*
 * The dry-run flag is not read, since older versions have none: callers exclude dry runs, or
 * recognise them by the missing address.
 */
static void buffer_read(const struct metal_shape *shape, const void *buffer,
			struct metal_buffer *ret)
{
	*ret = (struct metal_buffer){
		.self = (uint64_t)(uintptr_t)buffer,
		.device = word_at(buffer, shape->device),
		.size = word_at(buffer, shape->size),
		.allocator = word_at(buffer, shape->allocator),
		.address = word_at(buffer, shape->address),
		.type = (uint32_t)word_at(buffer, shape->type),
		.owns_data = byte_at(buffer, shape->owns_data),
		.status = byte_at(buffer, shape->status),
	};
}

/* The bit of a device; 0 if its id does not fit into a table. */
static uint64_t chip_of(const void *device)
{
	int (*id)(const void *) = (int (*)(const void *))word_at(
		(const void *)(uintptr_t)word_at(device, 0), METAL_SLOT_ID * sizeof(void *));
	int chip = id(device);

	return chip >= 0 && chip < (int)TABLE_DEVICES ? UINT64_C(1) << chip : 0;
}

/* The devices of a mesh, each of which has a buffer of that size. */
static int members_of(const struct library *library, const void *mesh, uint64_t *ret)
{
	struct metal_vector members;
	uint64_t chips = 0;
	int r = 0;

	if (!library->members || !library->delete)
		return -ENOTSUP;
	members = library->members(mesh);
	for (void **at = members.begin; at < members.end && r == 0; at++) {
		if (word_at(*at, 0) != library->device_vtable)
			r = -EBADMSG;
		else
			chips |= chip_of(*at);
	}
	if (members.begin)
		library->delete (members.begin);
	*ret = chips;
	return r;
}

static int chips_of(const struct library *library, const void *device, uint64_t *ret)
{
	uint64_t vtable = word_at(device, 0);

	if (vtable == library->device_vtable) {
		*ret = chip_of(device);
		return 0;
	}
	if (vtable != library->mesh_vtable)
		return -EBADMSG;
	return members_of(library, device, ret);
}

/* Adds new devices to the table. Returns the chips for which there was room. */
static uint64_t prepare_devices(struct process_table *process, uint64_t chips)
{
	uint64_t unknown = chips & ~process->tracker.header->devices;

	for (; unknown; unknown &= unknown - 1)
		if (process_add_device(process, (uint32_t)__builtin_ctzll(unknown)) < 0)
			chips &= ~(unknown & -unknown);
	return chips;
}

/*
 * Updates table and buffers under one lock. -ENODEV: there is no table. 1: the first buffer on one
 * of its chips.
 */
static int count_in(struct state *state, struct live_buffer *live, uint64_t chips,
		    const struct metal_buffer *buffer)
{
	bool is_first;
	int64_t now;
	struct process_table *process = process_enter(&now);
	enum phase phase;
	int r;

	if (!process) {
		process_get(&phase);
		return phase == PHASE_FAILED ? -ENODEV : 0;
	}
	is_first = chips & ~process->tracker.header->devices;
	live->held = tracker_hold(&process->tracker, prepare_devices(process, chips), buffer->type,
				  buffer->self, buffer->size, (uint64_t)now);
	r = live_add(&state->live, live);
	process_leave(process, now);
	return r == 0 ? is_first : r;
}

static void count(struct state *state, const struct library *library, const void *allocator,
		  const struct metal_buffer *buffer)
{
	struct live_buffer live = {
		.buffer = buffer->self,
		.allocator = (uint64_t)(uintptr_t)allocator,
	};
	uint64_t chips;
	int r;

	if (!buffer->owns_data || buffer->size == 0)
		return;
	if (chips_of(library, (const void *)(uintptr_t)buffer->device, &chips) < 0) {
		withdraw(library, "unknown kind of device: "
				  "device memory is not counted");
		return;
	}
	r = count_in(state, &live, chips, buffer);
	if (r == 1)
		programs_follow(library);
	else if (r == -EEXIST)
		withdraw(library, "missed the free of a buffer: device memory is not counted");
	else if (r == -ENODEV)
		warn_no_table(library);
	else if (r < 0)
		withdraw(library, "out of memory: device memory is not counted");
}

static bool is_buffer(const struct library *library, const struct metal_buffer *buffer)
{
	if (metal_is_buffer(buffer) && buffer->size <= METAL_SIZE_MAX)
		return true;
	withdraw(library, "unknown layout of buffers: device memory is not counted");
	return false;
}

void count_allocation(const struct library *library, const void *allocator, const void *buffer)
{
	struct state *state = library->counted ? state_get() : NULL;
	struct metal_buffer read;

	if (!state)
		return;
	buffer_read(&library->shape, buffer, &read);
	if (is_buffer(library, &read))
		count(state, library, allocator, &read);
}

void count_tracked(const struct library *library, const void *buffer)
{
	struct state *state = library->counted && library->tracks ? state_get() : NULL;
	struct metal_buffer read;

	if (!state)
		return;
	buffer_read(&library->shape, buffer, &read);
	if (is_buffer(library, &read) && metal_has_memory(&read, library->shape.allocated_mask) &&
	    read.address)
		count(state, library, (const void *)(uintptr_t)read.allocator, &read);
}

/* Takes the lock if any buffer is counted: a forked child does not create a table just to free. */
static struct process_table *free_enter(struct state **ret_state, int64_t *ret_now)
{
	struct state *state = __atomic_load_n(&the_state, __ATOMIC_ACQUIRE);

	if (!state || !__atomic_load_n(&state->live.count, __ATOMIC_RELAXED))
		return NULL;
	*ret_state = state;
	return process_enter(ret_now);
}

void count_free(const void *buffer)
{
	struct live_buffer live;
	struct state *state;
	int64_t now;
	struct process_table *process = free_enter(&state, &now);

	if (!process)
		return;
	if (live_take(&state->live, (uint64_t)(uintptr_t)buffer, &live))
		tracker_drop(&process->tracker, live.held, (uint64_t)now);
	process_leave(process, now);
}

void count_free_all(const void *allocator)
{
	struct live_buffer live;
	struct state *state;
	size_t at = 0;
	int64_t now;
	struct process_table *process = free_enter(&state, &now);

	if (!process)
		return;
	while (live_take_next(&state->live, (uint64_t)(uintptr_t)allocator, &at, &live))
		tracker_drop(&process->tracker, live.held, (uint64_t)now);
	process_leave(process, now);
}
