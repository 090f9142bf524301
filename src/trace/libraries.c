#include "trace/libraries.h"

#include "trace/attach.h"

#include "basic/clock.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static int put(const struct tracer *tracer, const struct trace_library *library, uint32_t place)
{
	return bpf_map_update_elem(tracer->maps[MAP_LIBRARIES], &place, library, BPF_ANY);
}

int64_t libraries_changed(const struct stat *st)
{
	return st->st_mtim.tv_sec * NS_PER_S + st->st_mtim.tv_nsec;
}

int libraries_read(const struct tracer *tracer, struct trace_library list[static TRACE_LIBRARIES])
{
	for (uint32_t i = 0; i < TRACE_LIBRARIES; i++) {
		int r = bpf_map_lookup_elem(tracer->maps[MAP_LIBRARIES], &i, &list[i]);

		if (r < 0)
			return r;
		/* The tracer that added it was killed before all probes were attached. */
		if (list[i].id && list[i].attached == UINT64_MAX)
			libraries_drop(tracer, &list[i]);
	}
	return 0;
}

bool libraries_is(const struct trace_library *library, const struct stat *st)
{
	return library->id && library->st_dev == st->st_dev && library->st_ino == st->st_ino &&
	       library->changed == libraries_changed(st);
}

const struct trace_library *libraries_find(const struct trace_library list[static TRACE_LIBRARIES],
					   const struct stat *st)
{
	for (size_t i = 0; i < TRACE_LIBRARIES; i++)
		if (libraries_is(&list[i], st))
			return &list[i];
	return NULL;
}

/* The next id whose entry is free. Ids are not reused soon: see is_reporting() in the hooks. */
static int choose_id(struct tracer *tracer, const struct trace_library *list, uint32_t *ret)
{
	uint32_t zero = 0;

	for (unsigned i = 0; i < TRACE_LIBRARIES; i++) {
		uint32_t id = tracer->state.last_id % (TRACE_LIBRARY_IDS - 1) + 1;

		tracer->state.last_id = id;
		if (list[id % TRACE_LIBRARIES].id)
			continue;
		*ret = id;
		return bpf_map_update_elem(tracer->maps[MAP_STATE], &zero, &tracer->state, BPF_ANY);
	}
	return -ENOSPC;
}

static struct trace_library describe(const struct metal_library *library, uint32_t id,
				     const struct stat *st)
{
	const struct metal_shape *shape = &library->shape;
	struct trace_library to = {
		.id = id,
		.tracks = library->tracks,
		.has_dry_run = shape->dry_run != 0,
		.has_members = metal_library_uses(library, METAL_CREATE_AT),
		.buffer = shape->device,
		.chip = shape->chip,
		.allocated_mask = shape->allocated_mask,
		.attached = UINT64_MAX,
		.device_vtable = library->device_vtable,
		.mesh_vtable = library->mesh_vtable,
		.st_dev = st->st_dev,
		.st_ino = st->st_ino,
		.changed = libraries_changed(st),
		.build_id_length = (uint32_t)library->build_id_length,
	};

	for (size_t i = 0; i < METAL_HOOKS; i++)
		to.hooks[i] = library->hooks[i].address;
	memcpy(to.build_id, library->build_id, sizeof(to.build_id));
	snprintf(to.versions, sizeof(to.versions), "%s", shape->versions);
	to.probes = attach_count(library);
	return to;
}

/* Does struct trace_object match Buffers of this shape? */
static bool is_known(const struct metal_shape *shape)
{
	uint16_t begin = shape->device;

	return shape->size == begin + offsetof(struct trace_object, size) &&
	       shape->type == begin + offsetof(struct trace_object, type) &&
	       shape->owns_data == begin + offsetof(struct trace_object, owns_data) &&
	       shape->allocator == begin + offsetof(struct trace_object, allocator) &&
	       shape->status == begin + offsetof(struct trace_object, status) &&
	       (!shape->dry_run ||
		shape->dry_run == begin + offsetof(struct trace_object, dry_run)) &&
	       shape->address == begin + offsetof(struct trace_object, address) &&
	       (shape->chip == 8 || shape->chip == 24);
}

static bool is_same_file(const struct trace_library *a, const struct trace_library *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->build_id_length &&
	       a->build_id_length == b->build_id_length &&
	       memcmp(a->build_id, b->build_id, sizeof(a->build_id)) == 0;
}

/*
 * The time since which no call was missed. If only the mtime of the file has changed, the probes of
 * its old entry are still attached.
 */
static uint64_t attached_since(const struct trace_library *list, const struct trace_library *to)
{
	for (size_t i = 0; i < TRACE_LIBRARIES; i++)
		if (&list[i] != to && list[i].id && is_same_file(&list[i], to))
			return list[i].attached;
	return (uint64_t)clock_now(CLOCK_BOOTTIME);
}

/* Lets the hooks search for the views of meshes, if the library has them. */
static int put_view_place(const struct tracer *tracer, const struct metal_library *library,
			  uint32_t id)
{
	struct trace_view_place place = { 0 };
	uint32_t index = id % TRACE_LIBRARIES;

	if (metal_library_uses(library, METAL_VIEW) ||
	    metal_library_uses(library, METAL_VIEW_LOCAL))
		place.id = id;
	return bpf_map_update_elem(tracer->maps[MAP_VIEW_PLACES], &index, &place, BPF_ANY);
}

int libraries_add(struct tracer *tracer, struct trace_library list[static TRACE_LIBRARIES],
		  const struct metal_library *library, int fd, const struct stat *st,
		  const char *path, uint32_t *ret_id)
{
	struct trace_library *to;
	uint32_t id, place;
	int r;

	if (!is_known(&library->shape))
		return -ENOTSUP;
	r = choose_id(tracer, list, &id);
	if (r < 0)
		return r;
	place = id % TRACE_LIBRARIES;
	to = &list[place];
	*to = describe(library, id, st);
	snprintf(to->path, sizeof(to->path), "%s", path);
	r = put_view_place(tracer, library, id);
	if (r == 0)
		r = put(tracer, to, place);
	if (r == 0)
		r = attach_library(tracer, id, library, fd);
	if (r == 0) {
		to->attached = attached_since(list, to);
		r = put(tracer, to, place);
	}
	if (r < 0)
		libraries_drop(tracer, to);
	else
		*ret_id = id;
	return r;
}

void libraries_drop(const struct tracer *tracer, struct trace_library *library)
{
	uint32_t id = library->id;

	/*
	 * The entry first: from then on, the hooks accept hits of another entry for the same file.
	 */
	memset(library, 0, sizeof(*library));
	(void)put(tracer, library, id % TRACE_LIBRARIES);
	attach_remove(id);
}

/*
 * The entry first: the hooks then no longer expect calls of METAL_CREATE_AT. A call that comes
 * nevertheless changes nothing.
 */
void libraries_drop_members(const struct tracer *tracer, struct trace_library *library)
{
	library->has_members = false;
	library->probes--;
	(void)put(tracer, library, library->id % TRACE_LIBRARIES);
	attach_remove_members(library->id);
}

void libraries_set_path(const struct tracer *tracer, struct trace_library *library,
			const char *path)
{
	if (strncmp(library->path, path, sizeof(library->path) - 1) == 0)
		return;
	snprintf(library->path, sizeof(library->path), "%s", path);
	(void)put(tracer, library, library->id % TRACE_LIBRARIES);
}

int libraries_set_followed(const struct tracer *tracer, struct trace_library *library,
			   uint64_t since)
{
	library->followed = since;
	return put(tracer, library, library->id % TRACE_LIBRARIES);
}
