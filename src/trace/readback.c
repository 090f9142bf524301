#include "trace/readback.h"

#include "trace/task.h"

#include "metal/live.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <sys/uio.h>

/* One allocator of one process. */
struct reading {
	const struct tracer *tracer;
	const struct trace_library *library;
	struct trace_key key;
	struct trace_allocator allocator;
	struct metal_shape shape;
	struct metal_memory memory;
	uint64_t start;
	uint64_t chips; /* of what was adopted */
};

static int read_memory(void *arg, uint64_t address, void *to, size_t length)
{
	const struct reading *reading = arg;
	struct iovec local = { to, length };
	struct iovec remote = { (void *)(uintptr_t)address, length };
	ssize_t n;

	n = process_vm_readv((pid_t)reading->key.tgid, &local, 1, &remote, 1, 0);
	if (n < 0)
		return -errno;
	return (size_t)n == length ? 0 : -EFAULT;
}

static struct metal_shape shape_of(const struct trace_library *library)
{
	uint16_t at = library->buffer;

	return (struct metal_shape){
		.device = at,
		.size = at + offsetof(struct trace_object, size),
		.type = at + offsetof(struct trace_object, type),
		.owns_data = at + offsetof(struct trace_object, owns_data),
		.allocator = at + offsetof(struct trace_object, allocator),
		.status = at + offsetof(struct trace_object, status),
		.dry_run = library->has_dry_run ? at + offsetof(struct trace_object, dry_run) : 0,
		.address = at + offsetof(struct trace_object, address),
		.chip = library->chip,
		.allocated_mask = library->allocated_mask,
	};
}

/* A mesh has the members of a buffer that was allocated on it since. -EAGAIN: there is none yet. */
static int chips_of(const struct reading *reading, uint64_t device, uint64_t *ret)
{
	const struct trace_library *library = reading->library;
	uint64_t vtable;
	uint32_t chip;
	int r;

	r = read_memory((void *)reading, device, &vtable, sizeof(vtable));
	if (r < 0)
		return r;
	if (vtable == reading->allocator.bias + library->mesh_vtable) {
		if (reading->allocator.device != device || !reading->allocator.chips)
			return -EAGAIN;
		*ret = reading->allocator.chips;
		return 0;
	}
	if (vtable != reading->allocator.bias + library->device_vtable)
		return -EBADMSG;
	r = read_memory((void *)reading, device + library->chip, &chip, sizeof(chip));
	if (r < 0)
		return r;
	if (chip >= TRACE_CHIPS)
		return -EBADMSG;
	*ret = UINT64_C(1) << chip;
	return 0;
}

static bool is_same(const struct metal_buffer *a, const struct metal_buffer *b)
{
	return a->device == b->device && a->size == b->size && a->type == b->type &&
	       a->address == b->address;
}

/* Both are in the order of their addresses; keeps those of the first that are in the second. */
static size_t intersect(struct metal_buffer *first, size_t n_first,
			const struct metal_buffer *second, size_t n_second)
{
	size_t kept = 0;

	for (size_t i = 0, j = 0; i < n_first; i++) {
		while (j < n_second && second[j].self < first[i].self)
			j++;
		if (j < n_second && second[j].self == first[i].self &&
		    is_same(&first[i], &second[j]))
			first[kept++] = first[i];
	}
	return kept;
}

static int walk_twice(const struct reading *reading, struct metal_buffer **ret, size_t *ret_count)
{
	CLEANUP_FREE struct metal_buffer *first = NULL, *second = NULL;
	size_t n_first = 0, n_second = 0;
	int r;

	r = metal_live_buffers(&reading->shape, &reading->memory, reading->key.pointer, &first,
			       &n_first);
	if (r == 0)
		r = metal_live_buffers(&reading->shape, &reading->memory, reading->key.pointer,
				       &second, &n_second);
	if (r < 0)
		return r;
	*ret_count = intersect(first, n_first, second, n_second);
	*ret = TAKE_PTR(first);
	return 0;
}

static int adopt(const struct reading *reading, const struct metal_buffer *buffer, uint64_t chips)
{
	const uint64_t arguments[] = {
		reading->key.tgid, reading->start, buffer->self,
		buffer->size,	   buffer->type,   buffer->allocator,
		buffer->device,	   chips,	   reading->allocator.emptied,
	};

	return tracer_run(reading->tracer, PROGRAM_ADOPT, arguments, ARRAY_SIZE(arguments));
}

/* All or nothing: whose chips are not known yet is read another time. */
static int read_allocator(struct reading *reading)
{
	CLEANUP_FREE struct metal_buffer *buffers = NULL;
	CLEANUP_FREE uint64_t *chips = NULL;
	size_t count = 0;
	int r;

	r = walk_twice(reading, &buffers, &count);
	if (r < 0)
		return r;
	chips = calloc(count + 1, sizeof(*chips));
	if (!chips)
		return -ENOMEM;
	for (size_t i = 0; i < count && r == 0; i++)
		r = chips_of(reading, buffers[i].device, &chips[i]);
	reading->chips = reading->allocator.chips;
	for (size_t i = 0; i < count && r == 0; i++) {
		reading->chips |= chips[i];
		r = adopt(reading, &buffers[i], chips[i]);
	}
	if (r == 0) {
		const uint64_t arguments[] = { reading->key.tgid, reading->start,
					       reading->key.pointer, reading->chips };

		r = tracer_run(reading->tracer, PROGRAM_SETTLE, arguments, ARRAY_SIZE(arguments));
	}
	return r;
}

/* What a process got from its parent is not its own, and cannot be told from it. */
static bool begin(struct reading *reading, const struct trace_library *list)
{
	uint32_t id = reading->allocator.library;
	struct task task;

	reading->library = &list[id % TRACE_LIBRARIES];
	if (reading->allocator.read || reading->library->id != id ||
	    task_read((pid_t)reading->key.tgid, &task) < 0 || task.ending || task.forked)
		return false;
	reading->start = task.start;
	reading->shape = shape_of(reading->library);
	reading->memory = (struct metal_memory){ .read = read_memory, .arg = reading };
	return true;
}

int readback_run(const struct tracer *tracer,
		 const struct trace_library list[static TRACE_LIBRARIES])
{
	struct reading reading = { .tracer = tracer };
	int map = tracer->maps[MAP_ALLOCATORS];
	struct trace_key *before = NULL, next;

	while (bpf_map_get_next_key(map, before, &next) == 0) {
		reading.key = next;
		before = &reading.key;
		if (bpf_map_lookup_elem(map, &next, &reading.allocator) < 0)
			continue;
		if (begin(&reading, list) && read_allocator(&reading) == -ENOMEM)
			return -ENOMEM;
	}
	return 0;
}
