#include "source/walk.h"

#include "basic/file.h"
#include "basic/parse.h"
#include "proto/table.h"
#include "source/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* One in so many unchanged processes is looked at again each time. */
enum { SWEEP = 16 };

struct walk {
	const struct root *root;
	bool has_major;
	uint32_t major;
	int32_t self;
	int error;		  /* of the last walk */
	struct walk_known *known; /* by pid, of the last walk */
	size_t n_known;
};

int walk_new(const struct root *root, struct walk **ret)
{
	struct walk *walk = calloc(1, sizeof(*walk));

	if (!walk)
		return -ENOMEM;
	walk->root = root;
	walk->self = root->live ? getpid() : 0;
	*ret = walk;
	return 0;
}

struct walk *walk_free(struct walk *walk)
{
	if (walk)
		free(walk->known);
	free(walk);
	return NULL;
}

/* The major number is given out when the module is loaded. */
int walk_begin(struct walk *walk)
{
	CLEANUP_BUF struct buf text = { 0 };
	int r;

	if (!walk->root->live || walk->has_major)
		return 0;
	r = root_read_all(walk->root, "proc/devices", 1 << 16, &text);
	if (r < 0)
		return r;
	walk->has_major = procfs_parse_devices(buf_text(&text), &walk->major);
	return 0;
}

static bool seen_any(const struct walk_seen *seen)
{
	for (size_t i = 0; i < ARRAY_SIZE(seen->words); i++)
		if (seen->words[i])
			return true;
	return false;
}

struct look {
	const struct walk *walk;
	int dir; /* /proc/PID/fd */
	struct walk_seen *seen;
};

/* A memfd is a file without a name: its link tells what its maker called it. */
static void look_for_table(struct look *look, const char *name, const char *link)
{
	struct walk_seen *seen = look->seen;
	uint32_t descriptor;

	if (strcmp(link, TABLE_LINK) == 0 && seen->n_tables < ARRAY_SIZE(seen->tables) &&
	    parse_u32(name, &descriptor) == 0)
		seen->tables[seen->n_tables++] = (int32_t)descriptor;
}

/*
 * By device number: names differ in containers. A node that was removed has no
 * links left; its number may be another card's by now. What is known of a file is
 * enough: a file system that does not answer is not asked.
 */
static void look_at_live(struct look *look, const char *name)
{
	const struct walk *walk = look->walk;
	char link[64];
	struct statx st;

	if (statx(look->dir, name, AT_STATX_DONT_SYNC, STATX_TYPE | STATX_NLINK | STATX_SIZE, &st) <
	    0)
		return;
	if (S_ISCHR(st.stx_mode) && walk->has_major && st.stx_rdev_major == walk->major &&
	    st.stx_nlink > 0)
		walk_seen_add(look->seen, st.stx_rdev_minor);
	if (S_ISREG(st.stx_mode) && st.stx_nlink == 0 && st.stx_size >= TABLE_SLOT_OFFSET &&
	    file_readlink(look->dir, name, link, sizeof(link)) > 0)
		look_for_table(look, name, link);
}

/* Links of a tree are texts, and what they name need not be there. */
static void look_at_text(struct look *look, const char *name)
{
	char link[4096];
	uint32_t index;

	if (file_readlink(look->dir, name, link, sizeof(link)) <= 0)
		return;
	if (procfs_names_node(link, look->walk->root->path, &index))
		walk_seen_add(look->seen, index);
	look_for_table(look, name, link);
}

static int visit_descriptor(const char *name, void *arg)
{
	struct look *look = arg;

	if (look->walk->root->live)
		look_at_live(look, name);
	else
		look_at_text(look, name);
	return 0;
}

/* Line by line: the maps of a large program are megabytes. */
static int look_at_maps(const struct walk *walk, int32_t pid, struct walk_seen *seen)
{
	CLEANUP_FREE char *line = NULL;
	size_t size = 0;
	char path[32];
	uint32_t index;
	FILE *file;
	int fd;

	snprintf(path, sizeof(path), "proc/%d/maps", pid);
	fd = root_open(walk->root, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return fd;
	file = fdopen(fd, "r");
	if (!file) {
		close(fd);
		return -ENOMEM;
	}
	while (getline(&line, &size, file) > 0)
		if (procfs_names_node(line, walk->root->path, &index))
			walk_seen_add(seen, index);
	fclose(file);
	return 0;
}

/* By what it will be told whether anything changed. */
static void remember(struct walk_known *known, int dir)
{
	struct stat st;

	if (fstat(dir, &st) < 0)
		return;
	/* Not all of them have their turn at once. */
	known->spared = known->inode ? SWEEP - 1 : (unsigned)known->pid % SWEEP;
	known->descriptors = st.st_size;
	known->inode = st.st_ino;
	known->changed = st.st_ctim;
}

static int look_at_descriptors(const struct walk *walk, struct walk_known *known)
{
	CLEANUP_CLOSE int dir = -1;
	struct look look = { .walk = walk, .seen = &known->seen };
	char path[32];

	known->seen = (struct walk_seen){ 0 };
	snprintf(path, sizeof(path), "proc/%d/fd", known->pid);
	dir = root_open(walk->root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0) {
		known->inode = 0;
		return dir;
	}
	remember(known, dir);
	look.dir = dir;
	return directory_read(dir, visit_descriptor, &look);
}

/* Same process, same number of descriptors, and not its turn? */
static bool is_unchanged(const struct walk *walk, struct walk_known *known)
{
	struct stat st;
	char path[32];

	if (!known->inode || known->error < 0 || known->spared == 0)
		return false;
	snprintf(path, sizeof(path), "proc/%d/fd", known->pid);
	if (root_stat(walk->root, path, &st) < 0 || st.st_size == 0 ||
	    known->descriptors != st.st_size || known->inode != st.st_ino ||
	    known->changed.tv_sec != st.st_ctim.tv_sec ||
	    known->changed.tv_nsec != st.st_ctim.tv_nsec)
		return false;
	known->spared--;
	return true;
}

/* Is something of part not in whole? */
static bool seen_lacks(const struct walk_seen *whole, const struct walk_seen *part)
{
	for (size_t i = 0; i < ARRAY_SIZE(whole->words); i++)
		if (part->words[i] & ~whole->words[i])
			return true;
	return false;
}

/* A device can be closed and stay mapped: then only maps tells. */
int walk_look(const struct walk *walk, const struct walk_seen *expected, struct walk_known *known)
{
	if (walk->root->live && !walk->has_major)
		return -EOPNOTSUPP; /* nothing to compare with: nothing is disproved */
	if (is_unchanged(walk, known) && !seen_lacks(&known->seen, expected))
		return 0;
	known->error = look_at_descriptors(walk, known);
	if (known->error == 0 && seen_lacks(&known->seen, expected))
		known->error = look_at_maps(walk, known->pid, &known->seen);
	return known->error;
}

/*
 * In a walk. To read everybody's mappings would cost as much again as all descriptors do;
 * who had a device open, and has closed it since, is asked.
 */
static int look_again(const struct walk *walk, struct walk_known *known)
{
	struct walk_seen before = known->seen;
	int r = look_at_descriptors(walk, known);

	if (r == 0 && seen_lacks(&known->seen, &before))
		r = look_at_maps(walk, known->pid, &known->seen);
	return r;
}

static int by_pid(const void *a, const void *b)
{
	int32_t x = ((const struct walk_known *)a)->pid, y = ((const struct walk_known *)b)->pid;

	return (x > y) - (x < y);
}

static const struct walk_known *find_known(const struct walk *walk, int32_t pid)
{
	struct walk_known wanted = { .pid = pid };

	if (!walk->n_known)
		return NULL;
	return bsearch(&wanted, walk->known, walk->n_known, sizeof(wanted), by_pid);
}

struct run {
	struct walk *walk;
	struct walk_known *known;
	size_t count, size;
};

static int visit_process(const char *name, void *arg)
{
	struct run *run = arg;
	const struct walk_known *before;
	struct walk_known *known;
	uint32_t pid;

	if (parse_u32(name, &pid) < 0 || pid == 0 || pid > INT32_MAX ||
	    (int32_t)pid == run->walk->self)
		return 0;
	if (run->count == run->size) {
		run->size = run->size ? run->size * 2 : 256;
		known = reallocarray(run->known, run->size, sizeof(*known));
		if (!known)
			return -ENOMEM;
		run->known = known;
	}
	known = &run->known[run->count];
	before = find_known(run->walk, (int32_t)pid);
	*known = before ? *before : (struct walk_known){ .pid = (int32_t)pid };
	if (!is_unchanged(run->walk, known))
		known->error = look_again(run->walk, known);
	run->count += known->error != -ENOENT;
	return 0;
}

void walk_run(void *arg)
{
	struct walk *walk = arg;
	struct run run = { .walk = walk };

	walk->error = root_each(walk->root, "proc", visit_process, &run);
	if (walk->error < 0) {
		free(run.known);
		return;
	}
	if (run.count) /* there is no array of none */
		qsort(run.known, run.count, sizeof(*run.known), by_pid);
	free(walk->known);
	walk->known = run.known;
	walk->n_known = run.count;
}

int walk_each(const struct walk *walk, bool tables,
	      int (*each)(int32_t pid, const struct walk_seen *seen, void *arg), void *arg,
	      bool *ret_complete)
{
	int r = walk->error;

	*ret_complete = true;
	for (size_t i = 0; i < walk->n_known && r >= 0; i++) {
		const struct walk_known *known = &walk->known[i];

		*ret_complete = *ret_complete && known->error == 0;
		if (known->error == 0 &&
		    (seen_any(&known->seen) || (tables && known->seen.n_tables)))
			r = each(known->pid, &known->seen, arg);
	}
	return r < 0 ? r : 0;
}
