#include "trace/files.h"

#include "trace/attach.h"
#include "trace/libraries.h"

#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <string.h>

/* More files than all programs that hold a card execute; then it begins anew. */
#define FILES_MAX 16384

static const struct {
	const char *problem;
	uint32_t flag;
} flags[] = {
	{ "unknown-shape", TRACE_UNKNOWN_SHAPE },
	{ "single-step", TRACE_SINGLE_STEP },
	{ "missed-free", TRACE_MISSED_FREE },
	{ "no-throw", TRACE_NO_THROW },
	{ "mesh", TRACE_MESH },
};

static int compare(const void *a, const void *b)
{
	const struct verdict *left = a, *right = b;

	if (left->st_dev != right->st_dev)
		return left->st_dev < right->st_dev ? -1 : 1;
	if (left->st_ino != right->st_ino)
		return left->st_ino < right->st_ino ? -1 : 1;
	return (left->changed > right->changed) - (left->changed < right->changed);
}

void files_done(struct files *files)
{
	tdestroy(files->tree, free);
	files->tree = NULL;
	files->count = 0;
}

static int remember(struct files *files, const struct verdict *verdict)
{
	struct verdict *copy;

	if (files->count == FILES_MAX)
		files_done(files);
	copy = malloc(sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	*copy = *verdict;
	if (!tsearch(copy, &files->tree, compare)) {
		free(copy);
		return -ENOMEM;
	}
	files->count++;
	return 0;
}

static uint32_t flag_of(const char *problem)
{
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (strcmp(problem, flags[i].problem) == 0)
			return flags[i].flag;
	return TRACE_UNKNOWN_SHAPE;
}

/* The same file with other contents: its probes may be anywhere now. */
static void drop_old(const struct files *files, const struct stat *st)
{
	for (size_t i = 0; i < TRACE_LIBRARIES; i++) {
		struct trace_library *library = &files->libraries[i];

		if (library->id && library->st_dev == st->st_dev && library->st_ino == st->st_ino &&
		    library->changed != libraries_changed(st))
			libraries_drop(files->tracer, library);
	}
}

static int attach(struct files *files, const struct metal_library *library, int fd,
		  const struct stat *st, const char *name, struct verdict *verdict)
{
	const struct trace_library *found;
	int r;

	found = libraries_find(files->libraries, st);
	if (found) {
		verdict->library = found->id;
		return 0;
	}
	r = libraries_add(files->tracer, files->libraries, library, fd, name, &verdict->library);
	/* Afterwards: if only its time was changed, no call is missed. */
	drop_old(files, st);
	if (r == -ENOSPC)
		verdict->problem = "too many libraries are attached to";
	else if (r < 0)
		verdict->problem = "the kernel does not take probes on it";
	return 0;
}

static int judge(struct files *files, int fd, const struct stat *st, const char *name,
		 struct verdict *verdict)
{
	struct metal_library library;
	int r = metal_library_read(&library, fd);

	if (r < 0 && r != -ENOTSUP)
		return r == -ENOMEM ? r : 0; /* not TT-Metal */
	verdict->metal = true;
	verdict->problem = r < 0 ? "unknown-shape" : metal_library_problem(&library);
	if (!verdict->problem)
		return attach(files, &library, fd, st, name, verdict);
	verdict->flags = flag_of(verdict->problem);
	return 0;
}

/* A library that somebody else has let go is attached to again. */
static bool is_current(const struct files *files, const struct verdict *verdict)
{
	uint32_t id = verdict->library;

	return !verdict->metal || (!id && verdict->flags) ||
	       (id && files->libraries[id % TRACE_LIBRARIES].id == id);
}

int files_look(struct files *files, const char *path, const char *name, struct verdict *ret)
{
	struct verdict verdict = { 0 }, **found;
	CLEANUP_CLOSE int fd = -1;
	struct stat st;
	int r;

	if (stat(path, &st) < 0)
		return -errno;
	verdict.st_dev = st.st_dev;
	verdict.st_ino = st.st_ino;
	verdict.changed = libraries_changed(&st);
	found = tfind(&verdict, &files->tree, compare);
	if (found && is_current(files, *found)) {
		*ret = **found;
		return 0;
	}
	fd = S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : -1;
	if (fd < 0)
		return S_ISREG(st.st_mode) ? -errno : S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	r = judge(files, fd, &st, name, &verdict);
	if (r < 0)
		return r;
	*ret = verdict;
	if (!found)
		return remember(files, &verdict);
	**found = verdict;
	return 0;
}
