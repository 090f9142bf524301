#include "place.h"

#include "basic/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int visit_any(const char *name, void *arg)
{
	(void)name;
	(void)arg;
	return 1;
}

static int make_temporary(struct place *p)
{
	const char *parent = getenv("TMPDIR");

	/* Thousands of small files: prefer memory to a disk, which would take seconds. */
	if (!parent || !*parent)
		parent = access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp";
	snprintf(p->path, sizeof(p->path), "%.900s/tt_smi-sim.XXXXXX", parent);
	if (!mkdtemp(p->path))
		return -errno;
	p->made = true;
	return 0;
}

static int make_named(struct place *p, const char *directory)
{
	if (strlen(directory) >= sizeof(p->path))
		return -ENAMETOOLONG;
	snprintf(p->path, sizeof(p->path), "%s", directory);
	if (mkdir(directory, 0755) == 0)
		p->made = true;
	else if (errno != EEXIST)
		return -errno;
	return 0;
}

/* The canonical path, as /proc/PID/fd will show it. */
static int make_absolute(struct place *p)
{
	char resolved[PATH_MAX];

	if (!realpath(p->path, resolved))
		return -errno;
	if (strlen(resolved) >= sizeof(p->path))
		return -ENAMETOOLONG;
	memcpy(p->path, resolved, strlen(resolved) + 1);
	return 0;
}

static int open_empty(const struct place *p, struct tree *root)
{
	int r;

	root->fd = open(p->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root->fd < 0)
		return -errno;
	r = directory_each(root->fd, ".", visit_any, NULL);
	return r > 0 ? -ENOTEMPTY : r;
}

int place_open(struct place *ret, const char *directory, struct tree *root)
{
	struct place p = { 0 };
	int r;

	root->fd = -1;
	r = directory ? make_named(&p, directory) : make_temporary(&p);
	if (r == 0)
		r = make_absolute(&p);
	if (r == 0)
		r = open_empty(&p, root);
	if (r < 0) {
		fprintf(stderr, "tt_smi sim: %s: %s\n", directory ? directory : p.path,
			strerror(-r));
		if (p.made)
			rmdir(p.path);
		place_close(&p, root);
		return r;
	}
	*ret = p;
	return 0;
}

int place_mark(struct machine *m)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d\n", getpid());
	tree_text(&m->root, 0444, m->opt.write_once ? "0\n" : pid, "simulated");
	if (m->root.error)
		fprintf(stderr, "tt_smi sim: %s: %s\n", m->root.where, strerror(-m->root.error));
	return m->root.error;
}

void place_close(struct place *place, struct tree *root)
{
	(void)place;
	if (root->fd >= 0)
		close(root->fd);
	root->fd = -1;
}
