#include "trace/mesh_views.h"

#include "trace/libraries.h"

#include <bpf/bpf.h>

/* Have the views of its meshes always given the same devices as the probe? */
static bool is_proven(const struct tracer *tracer, const struct trace_library *library)
{
	uint32_t index = library->id % TRACE_LIBRARIES;
	struct trace_view_place place;

	return library->id && library->has_members &&
	       bpf_map_lookup_elem(tracer->maps[MAP_VIEW_PLACES], &index, &place) == 0 &&
	       place.id == library->id && place.matched && !place.differed;
}

/* Is this a process with meshes from before the attach, whose views are not known? */
static bool needs_members(const struct trace_process *process, uint32_t id)
{
	bool is_known = false;

	if (!(process->flags & TRACE_SINCE_ATTACH))
		return false;
	for (size_t i = 0; i < TRACE_COPIES; i++) {
		if (process->copies[i] % TRACE_LIBRARY_IDS == id)
			return true;
		is_known |= process->copies[i] != 0;
	}
	return !is_known;
}

static bool is_needed(const struct tracer *tracer, uint32_t id)
{
	CLEANUP_FREE struct trace_process *process = malloc(sizeof(*process));
	int map = tracer->maps[MAP_PROCESSES];
	uint32_t tgid = 0;

	while (process && tracer_next_process(tracer, &tgid))
		if (bpf_map_lookup_elem(map, &tgid, process) == 0 && needs_members(process, id))
			return true;
	return !process;
}

void mesh_views_use(struct scan_state *scan)
{
	for (size_t i = 0; i < TRACE_LIBRARIES; i++) {
		struct trace_library *library = &scan->libraries[i];

		if (is_proven(scan->tracer, library) && !is_needed(scan->tracer, library->id))
			libraries_drop_members(scan->tracer, library);
	}
}
