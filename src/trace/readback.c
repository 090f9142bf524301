#include "trace/readback.h"

#include "trace/scan.h"
#include "trace/task.h"

#include "basic/clock.h"
#include "metal/live.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <sys/uio.h>

/* A process has so much time; who needed more is left alone for a while. */
#define BUDGET	(5 * NS_PER_S)
#define LEAVING (60 * NS_PER_S)

/* One allocator of a process. */
struct part {
	struct trace_key key;
	struct trace_allocator allocator;
	struct trace_library library;
};

/* One process. */
struct reading {
	struct job job;
	struct reading *next;
	const struct tracer *tracer;
	uint32_t tgid;
	uint64_t start;
	uint64_t swept; /* tombs that were taken away before */
	int64_t until;	/* ns; then it is given up, or tried again */
	bool gave_up;
	struct part *parts;
	size_t n_parts;
};

/* What is read now. */
struct source {
	struct reading *reading;
	const struct part *part;
	struct metal_shape shape;
	struct metal_memory memory;
};

static int read_memory(void *arg, uint64_t address, void *to, size_t length)
{
	const struct source *source = arg;
	struct reading *reading = source->reading;
	struct iovec local = { to, length };
	struct iovec remote = { (void *)(uintptr_t)address, length };
	ssize_t n;

	if (clock_now(CLOCK_MONOTONIC) > reading->until) {
		reading->gave_up = true;
		return -ETIME;
	}
	n = process_vm_readv((pid_t)reading->tgid, &local, 1, &remote, 1, 0);
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
static int chips_of(struct source *source, uint64_t device, uint64_t *ret)
{
	const struct trace_allocator *allocator = &source->part->allocator;
	const struct trace_library *library = &source->part->library;
	uint64_t vtable;
	uint32_t chip;
	int r;

	r = read_memory(source, device, &vtable, sizeof(vtable));
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
	r = read_memory(source, device + library->chip, &chip, sizeof(chip));
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

static int walk_twice(const struct source *source, struct metal_buffer **ret, size_t *ret_count)
{
	CLEANUP_FREE struct metal_buffer *first = NULL, *second = NULL;
	uint64_t allocator = source->part->key.pointer;
	size_t n_first = 0, n_second = 0;
	int r;

	r = metal_live_buffers(&source->shape, &source->memory, allocator, &first, &n_first);
	if (r == 0)
		r = metal_live_buffers(&source->shape, &source->memory, allocator, &second,
				       &n_second);
	if (r < 0)
		return r;
	*ret_count = intersect(first, n_first, second, n_second);
	*ret = TAKE_PTR(first);
	return 0;
}

static int adopt(const struct source *source, const struct metal_buffer *buffer, uint64_t chips)
{
	const uint64_t arguments[] = {
		source->reading->tgid,
		source->reading->start,
		buffer->self,
		buffer->size,
		buffer->type,
		buffer->allocator,
		buffer->device,
		chips,
		source->part->allocator.emptied,
		source->reading->swept,
	};

	return tracer_run(source->reading->tracer, PROGRAM_ADOPT, arguments, ARRAY_SIZE(arguments));
}

/* All or nothing: whose chips are not known yet is read another time. */
static int read_allocator(struct source *source)
{
	const struct part *part = source->part;
	uint64_t arguments[] = { source->reading->tgid, source->reading->start, part->key.pointer,
				 part->allocator.chips };
	CLEANUP_FREE struct metal_buffer *buffers = NULL;
	CLEANUP_FREE uint64_t *chips = NULL;
	size_t count = 0;
	int r;

	r = walk_twice(source, &buffers, &count);
	if (r < 0)
		return r;
	chips = calloc(count + 1, sizeof(*chips));
	if (!chips)
		return -ENOMEM;
	for (size_t i = 0; i < count && r == 0; i++)
		r = chips_of(source, buffers[i].device, &chips[i]);
	for (size_t i = 0; i < count && r == 0; i++) {
		arguments[3] |= chips[i];
		r = adopt(source, &buffers[i], chips[i]);
	}
	if (r < 0)
		return r;
	return tracer_run(source->reading->tracer, PROGRAM_SETTLE, arguments,
			  ARRAY_SIZE(arguments));
}

static void run(void *arg)
{
	struct reading *reading = arg;
	struct source source = { .reading = reading, .memory = { read_memory, &source } };

	for (size_t i = 0; i < reading->n_parts && !reading->gave_up; i++) {
		source.part = &reading->parts[i];
		source.shape = shape_of(&source.part->library);
		(void)!read_allocator(&source); /* tried again */
	}
}

/* ---- which ---- */

static struct reading *find(const struct readback *readback, uint32_t tgid)
{
	struct reading *reading = readback->readings;

	while (reading && reading->tgid != tgid)
		reading = reading->next;
	return reading;
}

/* What a process got from its parent is not its own, and cannot be told from it. */
static bool begin(struct reading *reading)
{
	CLEANUP_FREE struct trace_process *process = malloc(sizeof(*process));
	struct task task;

	if (!process || task_read((pid_t)reading->tgid, &task) < 0 || task.ending || task.forked ||
	    bpf_map_lookup_elem(reading->tracer->maps[MAP_PROCESSES], &reading->tgid, process) < 0)
		return false;
	reading->start = task.start;
	reading->swept = process->swept;
	return true;
}

/* NULL: not to be read. */
static struct reading *reading_of(struct readback *readback, const struct scan *scan, uint32_t tgid)
{
	struct reading *reading = find(readback, tgid);

	if (reading)
		return reading->job.arg ? NULL : reading;
	reading = calloc(1, sizeof(*reading));
	if (!reading)
		return NULL;
	reading->tracer = scan->tracer;
	reading->tgid = tgid;
	if (!begin(reading)) {
		free(reading);
		return NULL;
	}
	reading->next = readback->readings;
	readback->readings = reading;
	return reading;
}

static int add(struct readback *readback, const struct scan *scan, const struct part *part)
{
	struct reading *reading;
	struct part *parts;

	reading = reading_of(readback, scan, part->key.tgid);
	if (!reading)
		return 0;
	parts = realloc(reading->parts, (reading->n_parts + 1) * sizeof(*parts));
	if (!parts)
		return -ENOMEM;
	parts[reading->n_parts++] = *part;
	reading->parts = parts;
	return 0;
}

static int collect(struct readback *readback, const struct scan *scan)
{
	struct trace_key *before = NULL, next;
	struct part part;
	int r = 0;

	while (r == 0 &&
	       bpf_map_get_next_key(scan->tracer->maps[MAP_ALLOCATORS], before, &next) == 0) {
		uint32_t id;

		part.key = next;
		before = &part.key;
		if (bpf_map_lookup_elem(scan->tracer->maps[MAP_ALLOCATORS], &next,
					&part.allocator) < 0)
			continue;
		id = part.allocator.library;
		part.library = scan->libraries[id % TRACE_LIBRARIES];
		if (!part.allocator.read && part.library.id == id)
			r = add(readback, scan, &part);
	}
	return r;
}

/* ---- all of them ---- */

static void free_reading(struct reading *reading)
{
	free(reading->parts);
	free(reading);
}

/* Those that are done, unless they are to be left alone for a while. */
static void clean(struct readback *readback, const struct scan *scan)
{
	int64_t now = clock_now(CLOCK_MONOTONIC);

	for (struct reading **at = &readback->readings; *at;) {
		struct reading *reading = *at;

		if (job_is_busy(scan->workers, &reading->job) ||
		    (reading->gave_up && now < reading->until + LEAVING)) {
			at = &reading->next;
			continue;
		}
		*at = reading->next;
		free_reading(reading);
	}
}

int readback_run(struct readback *readback, struct scan *scan)
{
	int r;

	clean(readback, scan);
	r = collect(readback, scan);
	for (struct reading *reading = readback->readings; reading && r == 0;
	     reading = reading->next) {
		if (reading->job.arg)
			continue;
		reading->job = (struct job){ .run = run, .arg = reading };
		reading->until = clock_now(CLOCK_MONOTONIC) + BUDGET;
		r = scan_add(scan, &reading->job);
	}
	scan_round(scan);
	return r;
}

void readback_done(struct readback *readback)
{
	while (readback->readings) {
		struct reading *first = readback->readings;

		readback->readings = first->next;
		free_reading(first);
	}
}
