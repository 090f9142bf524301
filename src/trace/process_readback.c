#include "trace/process_readback.h"

#include "trace/process_stat.h"

#include "basic/clock.h"
#include "metal/live.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <sys/uio.h>

/* Time limit for one process. */
#define BUDGET (5 * NS_PER_S)

/* The allocator that is being read. */
struct allocator_reader {
	struct process_readback *process;
	const struct known_allocator *known;
	struct metal_shape shape;
	struct metal_memory memory;
};

static int read_memory(void *arg, uint64_t address, void *to, size_t length)
{
	const struct allocator_reader *reader = arg;
	struct process_readback *process = reader->process;
	struct iovec local = { to, length };
	struct iovec remote = { (void *)(uintptr_t)address, length };
	ssize_t n;

	if (clock_now(CLOCK_MONOTONIC) > process->until) {
		process->gave_up = true;
		return -ETIME;
	}
	n = process_vm_readv((pid_t)process->tgid, &local, 1, &remote, 1, 0);
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

/*
 * The chips of a device. Those of a mesh are known from a buffer that was allocated on it since the
 * attach; -EAGAIN: there is none yet.
 */
static int chips_of(struct allocator_reader *reader, uint64_t device, uint64_t *ret)
{
	const struct trace_allocator *allocator = &reader->known->allocator;
	const struct trace_library *library = &reader->known->library;
	uint64_t vtable;
	uint32_t chip;
	int r;

	r = read_memory(reader, device, &vtable, sizeof(vtable));
	if (r < 0)
		return r;
	if (vtable == allocator->bias + library->mesh_vtable) {
		if (allocator->device != device || !allocator->chips)
			return -EAGAIN;
		*ret = allocator->chips;
		return 0;
	}
	if (vtable != allocator->bias + library->device_vtable)
		return -EBADMSG;
	r = read_memory(reader, device + library->chip, &chip, sizeof(chip));
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

/* Both are sorted by address. Keeps the buffers of the first that are also in the second. */
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

static int walk_twice(const struct allocator_reader *reader, struct metal_buffer **ret,
		      size_t *ret_count)
{
	CLEANUP_FREE struct metal_buffer *first = NULL, *second = NULL;
	uint64_t allocator = reader->known->key.pointer;
	size_t n_first = 0, n_second = 0;
	int r;

	r = metal_live_buffers(&reader->shape, &reader->memory, allocator, &first, &n_first);
	if (r == 0)
		r = metal_live_buffers(&reader->shape, &reader->memory, allocator, &second,
				       &n_second);
	if (r < 0)
		return r;
	*ret_count = intersect(first, n_first, second, n_second);
	*ret = TAKE_PTR(first);
	return 0;
}

static int adopt(const struct allocator_reader *reader, const struct metal_buffer *buffer,
		 uint64_t chips)
{
	const uint64_t arguments[] = {
		reader->process->tgid,
		reader->process->start,
		buffer->self,
		buffer->size,
		buffer->type,
		buffer->allocator,
		buffer->device,
		chips,
		reader->known->allocator.emptied,
		reader->process->swept,
	};

	return tracer_run(reader->process->tracer, TRACER_ADOPT, arguments, ARRAY_SIZE(arguments));
}

/* All or nothing: if the chips of one buffer are unknown, it is retried later. */
static int read_allocator(struct allocator_reader *reader)
{
	const struct known_allocator *known = reader->known;
	uint64_t arguments[] = { reader->process->tgid, reader->process->start, known->key.pointer,
				 known->allocator.chips };
	CLEANUP_FREE struct metal_buffer *buffers = NULL;
	CLEANUP_FREE uint64_t *chips = NULL;
	size_t count = 0;
	int r;

	r = walk_twice(reader, &buffers, &count);
	if (r < 0)
		return r;
	chips = calloc(count + 1, sizeof(*chips));
	if (!chips)
		return -ENOMEM;
	for (size_t i = 0; i < count && r == 0; i++)
		r = chips_of(reader, buffers[i].device, &chips[i]);
	for (size_t i = 0; i < count && r == 0; i++) {
		arguments[3] |= chips[i];
		r = adopt(reader, &buffers[i], chips[i]);
	}
	if (r < 0)
		return r;
	return tracer_run(reader->process->tracer, TRACER_SETTLE, arguments, ARRAY_SIZE(arguments));
}

static void run(void *arg)
{
	struct process_readback *process = arg;
	struct allocator_reader reader = { .process = process, .memory = { read_memory, &reader } };

	for (size_t i = 0; i < process->n_allocators && !process->gave_up; i++) {
		reader.known = &process->allocators[i];
		reader.shape = shape_of(&reader.known->library);
		(void)!read_allocator(&reader); /* retried later */
	}
}

struct process_readback *process_readback_new(const struct tracer *tracer, uint32_t tgid)
{
	CLEANUP_FREE struct process_readback *process = calloc(1, sizeof(*process));
	CLEANUP_FREE struct trace_process *entry = malloc(sizeof(*entry));
	struct process_stat stat;

	if (!process || !entry || process_stat_read((pid_t)tgid, &stat) < 0 || stat.is_exiting ||
	    stat.is_forked || bpf_map_lookup_elem(tracer->maps[MAP_PROCESSES], &tgid, entry) < 0)
		return NULL;
	process->tracer = tracer;
	process->tgid = tgid;
	process->start = stat.start;
	process->swept = entry->swept;
	return TAKE_PTR(process);
}

int process_readback_add(struct process_readback *process, const struct known_allocator *known)
{
	struct known_allocator *list;

	list = realloc(process->allocators, (process->n_allocators + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	list[process->n_allocators++] = *known;
	process->allocators = list;
	return 0;
}

struct job *process_readback_start(struct process_readback *process)
{
	process->job = (struct job){ .run = run, .arg = process };
	process->until = clock_now(CLOCK_MONOTONIC) + BUDGET;
	return &process->job;
}

bool process_readback_has_begun(const struct process_readback *process)
{
	return process->job.arg;
}

struct process_readback *process_readback_free(struct process_readback *process)
{
	if (process)
		free(process->allocators);
	free(process);
	return NULL;
}
