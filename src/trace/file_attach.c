#include "trace/file_attach.h"

#include "trace/libraries.h"
#include "trace/program_links.h"

#include <errno.h>

/* The library was detached, or the reason that prevented attaching may no longer apply. */
static bool is_stale(const struct file_state *state, const void *arg)
{
	const struct scan_state *scan = arg;
	uint32_t id = state->library;

	if (id)
		return scan->libraries[id % TRACE_LIBRARIES].id != id;
	return state->is_pending || !state->fault;
}

void file_attach_refresh(struct scan_state *scan)
{
	file_cache_refresh(&scan->cache, is_stale, scan);
}

/* Detaches from earlier contents of this file, in which functions may be at other offsets. */
static void detach_old(struct scan_state *scan, const struct stat *st)
{
	for (size_t i = 0; i < TRACE_LIBRARIES; i++) {
		struct trace_library *library = &scan->libraries[i];

		if (library->id && library->st_dev == st->st_dev && library->st_ino == st->st_ino &&
		    library->changed != libraries_changed(st))
			libraries_drop(scan->tracer, library);
	}
}

/* If this fails, utilisation is unknown, but memory is still counted. */
static void watch_programs(struct scan_state *scan, const struct library_file *file,
			   struct file_state *state)
{
	struct trace_library *library = &scan->libraries[state->library % TRACE_LIBRARIES];

	if (scan->programs &&
	    program_links_add(scan->programs, scan->tracer, library, file->fd) < 0)
		state->problem = "its programs are not followed: the kernel refuses the probes";
}

static void attach(struct scan_state *scan, const struct library_file *file, bool is_named,
		   struct file_state *state)
{
	const struct trace_library *old = libraries_find(scan->libraries, &file->st);
	int r;

	if (old) {
		state->library = old->id;
		watch_programs(scan, file, state);
		return;
	}
	if (file->is_fuse && !is_named) {
		state->problem = "a program serves this file (FUSE): to attach to it, name it";
		return;
	}
	r = libraries_add(scan->tracer, scan->libraries, &file->library, file->fd, &file->st,
			  file->name, &state->library);
	/* After attaching, so that no call is missed if only the mtime of the file has changed. */
	detach_old(scan, &file->st);
	if (r == -ENOSPC)
		state->problem = "too many libraries are attached";
	else if (r < 0)
		state->problem = "the kernel refuses probes on it";
	else
		watch_programs(scan, file, state);
}

int file_attach(struct scan_state *scan, const struct library_file *file, bool is_named,
		struct file_state *ret)
{
	struct file_state state = file_state_init(&file->st);

	if (file_cache_find(&scan->cache, &state) && !state.is_pending) {
		*ret = state;
		return 0;
	}
	if (file->fd < 0)
		return -EAGAIN;
	state = file_state_init(&file->st);
	state.is_metal = true;
	state.fault =
		file->read < 0 ? TRACE_FAULT_UNKNOWN_SHAPE : metal_library_fault(&file->library);
	if (state.fault)
		state.problem = trace_fault_word(state.fault);
	else
		attach(scan, file, is_named, &state);
	*ret = state;
	return file_cache_put(&scan->cache, &state);
}
