#include "proto/snapshot_image.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Offsets of the sections, whose order is fixed. */
struct sections {
	uint64_t processes;
	uint64_t usages;
	uint64_t allocations;
	uint64_t devices;
	uint64_t end;
};

/* Counts have 32 bits and records are smaller than 1 KiB, so no sum can overflow. */
static struct sections sections_of(const struct image_counts *counts)
{
	struct sections s = { .processes = sizeof(struct image_header) };

	s.usages = s.processes + (uint64_t)counts->processes * sizeof(struct image_process);
	s.allocations = s.usages + (uint64_t)counts->usages * sizeof(struct image_usage);
	s.devices = s.allocations + (uint64_t)counts->allocations * sizeof(struct image_allocation);
	s.end = s.devices + (uint64_t)counts->devices * sizeof(struct image_device);
	return s;
}

size_t image_size(const struct image_counts *counts)
{
	return sections_of(counts).end;
}

void image_begin(struct image_writer *writer, void *block, const struct image_counts *counts)
{
	struct sections s = sections_of(counts);
	char *base = block;

	*writer = (struct image_writer){
		.header = block,
		.processes = (void *)(base + s.processes),
		.usages = (void *)(base + s.usages),
		.allocations = (void *)(base + s.allocations),
		.room = *counts,
	};
	*writer->header = (struct image_header){
		.magic = IMAGE_MAGIC,
		.version = IMAGE_VERSION,
		.header_size = sizeof(struct image_header),
		.length = s.end,
		.process_offset = s.processes,
		.usage_offset = s.usages,
		.allocation_offset = s.allocations,
	};
}

int image_add_process(struct image_writer *writer, const struct image_process *process)
{
	struct image_header *header = writer->header;
	struct image_process *to = &writer->processes[header->process_count];

	if (header->process_count == writer->room.processes)
		return -ENOSPC;
	*to = *process;
	to->name[IMAGE_NAME - 1] = '\0';
	to->usage_first = header->usage_count;
	to->usage_count = 0;
	to->allocation_first = header->allocation_count;
	to->allocation_count = 0;
	header->process_count++;
	return 0;
}

/* The process that records are currently added to. */
static struct image_process *process_current(const struct image_writer *writer)
{
	assert(writer->header->process_count > 0);
	return &writer->processes[writer->header->process_count - 1];
}

int image_add_usage(struct image_writer *writer, const struct image_usage *usage)
{
	struct image_process *process = process_current(writer);

	if (writer->header->usage_count == writer->room.usages) {
		process->flags |= IMAGE_TOTALS_LOW;
		return -ENOSPC;
	}
	writer->usages[writer->header->usage_count++] = *usage;
	process->usage_count++;
	return 0;
}

int image_add_allocation(struct image_writer *writer, const struct image_allocation *allocation)
{
	struct image_process *process = process_current(writer);

	if (writer->header->allocation_count == writer->room.allocations) {
		process->flags |= IMAGE_LIST_CUT;
		return -ENOSPC;
	}
	writer->allocations[writer->header->allocation_count++] = *allocation;
	process->allocation_count++;
	return 0;
}

void image_end(struct image_writer *writer, const struct image_device *devices, uint32_t count)
{
	struct image_header *header = writer->header;

	header->device_count = MIN(count, writer->room.devices);
	header->device_offset = header->allocation_offset +
				header->allocation_count * sizeof(struct image_allocation);
	if (header->device_count)
		memcpy((char *)header + header->device_offset, devices,
		       header->device_count * sizeof(*devices));
	header->length = header->device_offset + header->device_count * sizeof(*devices);
}

static int header_check(const struct image_header *header, size_t length)
{
	if (header->magic != IMAGE_MAGIC)
		return -EBADMSG;
	if (header->version != IMAGE_VERSION)
		return -EPROTONOSUPPORT;
	if (header->header_size != sizeof(*header) || header->length != length)
		return -EBADMSG;
	return 0;
}

/* Is a section inside the image, aligned, and after the previous one? Sets *end to its end. */
static bool section_fits(uint64_t offset, uint64_t count, size_t size, uint64_t length,
			 uint64_t *end)
{
	if (offset < *end || offset > length || offset % 8 || (length - offset) / size < count)
		return false;
	*end = offset + count * size;
	return true;
}

static int sections_check(const struct image_header *header)
{
	uint64_t end = sizeof(*header);

	if (!section_fits(header->process_offset, header->process_count,
			  sizeof(struct image_process), header->length, &end) ||
	    !section_fits(header->usage_offset, header->usage_count, sizeof(struct image_usage),
			  header->length, &end) ||
	    !section_fits(header->allocation_offset, header->allocation_count,
			  sizeof(struct image_allocation), header->length, &end))
		return -EBADMSG;
	if (header->device_offset &&
	    !section_fits(header->device_offset, header->device_count, sizeof(struct image_device),
			  header->length, &end))
		return -EBADMSG;
	return 0;
}

static bool job_is_valid(const struct image_job *job)
{
	return memchr(job->id, '\0', sizeof(job->id)) && memchr(job->user, '\0', sizeof(job->user));
}

static bool process_is_valid(const struct image_process *process)
{
	bool finished = process->flags & IMAGE_FINISHED;

	if (process->flags & IMAGE_JOB && !job_is_valid(&process->job))
		return false;
	if (process->flags & IMAGE_NOTES && (process->usage_count || process->allocation_count))
		return false;
	return process->origin >= IMAGE_TABLE && process->origin < IMAGE_ORIGINS &&
	       process->pid > 0 && process->pid <= INT32_MAX &&
	       finished == (process->ended_ns != 0) && memchr(process->name, '\0', IMAGE_NAME);
}

static bool usage_is_valid(const struct image_usage *usage)
{
	return usage->device < TABLE_DEVICES && usage->pool < POOL_COUNT &&
	       usage->now_bytes <= usage->peak_bytes && usage->peak_bytes <= TABLE_BYTES_MAX &&
	       usage->frees <= usage->allocs;
}

static bool allocation_is_valid(const struct image_allocation *allocation)
{
	return allocation->device < TABLE_DEVICES && allocation->pool < POOL_COUNT &&
	       allocation->size > 0 && allocation->size <= TABLE_BYTES_MAX;
}

/* Runs must be consecutive, so that each record has exactly one owner. */
static int processes_check(const struct image_view *view)
{
	uint64_t usages = 0, allocations = 0;

	for (uint32_t i = 0; i < view->header->process_count; i++) {
		const struct image_process *process = &view->processes[i];

		if (!process_is_valid(process) || process->usage_first != usages ||
		    process->allocation_first != allocations)
			return -EBADMSG;
		usages += process->usage_count;
		allocations += process->allocation_count;
	}
	if (usages != view->header->usage_count || allocations != view->header->allocation_count)
		return -EBADMSG;
	return 0;
}

static int records_check(const struct image_view *view)
{
	for (uint32_t i = 0; i < view->header->usage_count; i++) {
		if (!usage_is_valid(&view->usages[i]))
			return -EBADMSG;
	}
	for (uint32_t i = 0; i < view->header->allocation_count; i++) {
		if (!allocation_is_valid(&view->allocations[i]))
			return -EBADMSG;
	}
	return 0;
}

int image_view_init(struct image_view *ret, const void *data, size_t length)
{
	const char *base = data;
	struct image_view view = { .header = data };
	int r;

	if ((uintptr_t)data % sizeof(uint64_t))
		return -EINVAL;
	if (length < sizeof(struct image_header))
		return -EBADMSG;
	r = header_check(view.header, length);
	if (r < 0)
		return r;
	r = sections_check(view.header);
	if (r < 0)
		return r;

	view.processes = (const void *)(base + view.header->process_offset);
	view.usages = (const void *)(base + view.header->usage_offset);
	view.allocations = (const void *)(base + view.header->allocation_offset);
	view.devices = (const void *)(base + view.header->device_offset);
	r = processes_check(&view);
	if (r < 0)
		return r;
	r = records_check(&view);
	if (r < 0)
		return r;
	*ret = view;
	return 0;
}
