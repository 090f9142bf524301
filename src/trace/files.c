#include "trace/files.h"

#include "trace/libraries.h"
#include "trace/look.h"

#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <string.h>

/* More files than all programs that hold a card execute; then it begins anew. */
#define FILES_MAX 16384

static int compare(const void *a, const void *b)
{
	const struct verdict *left = a, *right = b;

	if (left->st_dev != right->st_dev)
		return left->st_dev < right->st_dev ? -1 : 1;
	if (left->st_ino != right->st_ino)
		return left->st_ino < right->st_ino ? -1 : 1;
	return (left->changed > right->changed) - (left->changed < right->changed);
}

void files_init(struct files *files, struct tracer *tracer, struct trace_library *libraries)
{
	*files = (struct files){ .tracer = tracer, .libraries = libraries };
	pthread_mutex_init(&files->lock, NULL);
}

void files_done(struct files *files)
{
	tdestroy(files->tree, free);
	pthread_mutex_destroy(&files->lock);
}

struct verdict files_key(const struct stat *st)
{
	return (struct verdict){
		.st_dev = st->st_dev,
		.st_ino = st->st_ino,
		.changed = libraries_changed(st),
	};
}

bool files_know(struct files *files, struct verdict *verdict)
{
	struct verdict **found;
	bool known;

	pthread_mutex_lock(&files->lock);
	found = tfind(verdict, &files->tree, compare);
	known = found && !(*found)->stale;
	if (known)
		*verdict = **found;
	pthread_mutex_unlock(&files->lock);
	return known;
}

static void forget_all(struct files *files)
{
	tdestroy(files->tree, free);
	files->tree = NULL;
	files->count = 0;
}

static int insert(struct files *files, const struct verdict *verdict)
{
	CLEANUP_FREE struct verdict *copy = malloc(sizeof(*copy));
	struct verdict **place;

	if (!copy)
		return -ENOMEM;
	if (files->count == FILES_MAX)
		forget_all(files);
	*copy = *verdict;
	place = tsearch(copy, &files->tree, compare);
	if (!place)
		return -ENOMEM;
	**place = *verdict;
	if (*place == copy) {
		copy = NULL;
		files->count++;
	}
	return 0;
}

int files_remember(struct files *files, const struct verdict *verdict)
{
	int r;

	pthread_mutex_lock(&files->lock);
	r = insert(files, verdict);
	pthread_mutex_unlock(&files->lock);
	return r;
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

/* A library that somebody has let go is attached to again; what was in the way may be gone. */
static void mark_stale(const void *node, VISIT visit, void *arg)
{
	struct verdict *verdict = *(struct verdict *const *)node;
	const struct files *files = arg;
	uint32_t id = verdict->library;

	if ((visit == postorder || visit == leaf) && verdict->metal)
		verdict->stale = id ? files->libraries[id % TRACE_LIBRARIES].id != id
				    : verdict->unjudged || !verdict->fault;
}

void files_refresh(struct files *files)
{
	pthread_mutex_lock(&files->lock);
	twalk_r(files->tree, mark_stale, files);
	pthread_mutex_unlock(&files->lock);
}

static void attach(struct files *files, const struct found *found, bool named,
		   struct verdict *verdict)
{
	const struct trace_library *old = libraries_find(files->libraries, &found->st);
	int r;

	if (old) {
		verdict->library = old->id;
		return;
	}
	if (found->is_served && !named) {
		verdict->problem = "a program serves this file: attached to only if it is named";
		return;
	}
	r = libraries_add(files->tracer, files->libraries, &found->library, found->fd, &found->st,
			  found->name, &verdict->library);
	/* Afterwards: if only its time was changed, no call is missed. */
	drop_old(files, &found->st);
	if (r == -ENOSPC)
		verdict->problem = "too many libraries are attached to";
	else if (r < 0)
		verdict->problem = "the kernel does not take probes on it";
}

int files_take(struct files *files, const struct found *found, bool named, struct verdict *ret)
{
	struct verdict verdict = files_key(&found->st);

	if (files_know(files, &verdict) && !verdict.unjudged) {
		*ret = verdict;
		return 0;
	}
	if (found->fd < 0)
		return -EAGAIN;
	verdict = files_key(&found->st);
	verdict.metal = true;
	verdict.fault =
		found->read < 0 ? TRACE_FAULT_UNKNOWN_SHAPE : metal_library_fault(&found->library);
	if (verdict.fault)
		verdict.problem = trace_fault_word(verdict.fault);
	else
		attach(files, found, named, &verdict);
	*ret = verdict;
	return files_remember(files, &verdict);
}
