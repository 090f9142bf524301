#include "trace/program_links.h"

#include "trace/attach.h"
#include "trace/libraries.h"

#include "basic/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

static enum program_group group_of(enum program_hook hook)
{
	if (hook == PROGRAM_SYNC_CHECK || hook == PROGRAM_PUBLISH)
		return GROUP_RINGS;
	if (hook == PROGRAM_RECORD)
		return GROUP_RECORDS;
	return hook == PROGRAM_OPERATION ? GROUP_NAMES : GROUP_LAUNCHES;
}

void program_links_init(struct program_links *links, struct program_follow follow)
{
	memset(links, 0, sizeof(*links));
	links->follow = follow;
}

static void detach(struct program_library *library, enum program_group group)
{
	for (unsigned hook = 0; hook < PROGRAM_HOOKS; hook++) {
		if (group_of(hook) != group)
			continue;
		cleanup_close(&library->links[hook]);
		library->links[hook] = -1;
	}
}

static void drop(struct program_library *library)
{
	for (unsigned group = 0; group < PROGRAM_GROUPS; group++)
		detach(library, group);
	cleanup_close(&library->fd);
	*library = (struct program_library){ 0 };
}

void program_links_done(struct program_links *links)
{
	for (size_t i = 0; i < TRACE_LIBRARIES; i++)
		if (links->libraries[i].id)
			drop(&links->libraries[i]);
}

static bool is_attached(const struct program_library *library, enum program_group group)
{
	for (unsigned hook = 0; hook < PROGRAM_HOOKS; hook++)
		if (group_of(hook) == group && library->links[hook] >= 0)
			return true;
	return false;
}

static int attach(struct program_library *library, const struct tracer *tracer,
		  enum program_group group)
{
	struct trace_probe probes[PROGRAM_HOOKS];
	int *links[PROGRAM_HOOKS];
	unsigned count = 0;
	int r;

	for (unsigned hook = 0; hook < PROGRAM_HOOKS; hook++) {
		if (group_of(hook) != group ||
		    library->hooks.places[hook].entry == METAL_ENTRY_NONE)
			continue;
		probes[count] = (struct trace_probe){ library->hooks.places[hook].offset,
						      attach_cookie(library->id, hook) };
		links[count++] = &library->links[hook];
	}
	r = attach_probes(tracer, TRACER_PROGRAM_HOOK, library->fd, probes, count, links);
	if (r < 0)
		detach(library, group);
	return r;
}

struct program_library *program_links_find(struct program_links *links, uint32_t id)
{
	struct program_library *library = &links->libraries[id % TRACE_LIBRARIES];

	return id && library->id == id ? library : NULL;
}

/* Records the time: all launches of processes that start from now on are counted. */
static int follow_launches(struct program_library *library, const struct tracer *tracer,
			   struct trace_library *entry)
{
	int r = attach(library, tracer, GROUP_LAUNCHES);

	return r == 0 ? libraries_set_followed(tracer, entry, (uint64_t)clock_now(CLOCK_BOOTTIME))
		      : r;
}

int program_links_add(struct program_links *links, const struct tracer *tracer,
		      struct trace_library *entry, int fd)
{
	struct program_library *library = &links->libraries[entry->id % TRACE_LIBRARIES];
	int r;

	if (library->id == entry->id)
		return 0;
	if (library->id)
		drop(library);
	library->id = entry->id;
	memset(library->links, -1, sizeof(library->links));
	library->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	r = library->fd < 0 ? -errno : program_hooks_read(&library->hooks, fd);
	if (r == 0 && program_hooks_has_records(&library->hooks))
		r = attach(library, tracer, GROUP_RECORDS);
	if (r == 0 && links->follow.names)
		r = attach(library, tracer, GROUP_NAMES);
	if (r == 0 && links->follow.launches)
		r = follow_launches(library, tracer, entry);
	if (r < 0)
		drop(library);
	return r;
}

void program_links_clean(struct program_links *links,
			 const struct trace_library list[static TRACE_LIBRARIES])
{
	for (size_t i = 0; i < TRACE_LIBRARIES; i++)
		if (links->libraries[i].id && links->libraries[i].id != list[i].id)
			drop(&links->libraries[i]);
}

int program_links_seek(struct program_library *library, const struct tracer *tracer, bool seek)
{
	if (!program_hooks_has_rings(&library->hooks) || seek == is_attached(library, GROUP_RINGS))
		return 0;
	if (seek)
		return attach(library, tracer, GROUP_RINGS);
	detach(library, GROUP_RINGS);
	return 0;
}
