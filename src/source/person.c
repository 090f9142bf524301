#include "source/person.h"

#include "basic/clock.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As long as a command line can be on Linux: a quarter of the largest stack limit is not. */
static const size_t command_limit = 2 << 20;

/* For whoever is paced, as long is believed what hardly ever changes in a process's life. */
static const int64_t paced_ns = 4900 * NS_PER_MS;

/* Large enough for a status or a cgroup file of any machine seen; in one read. */
struct proc_text {
	char data[16384];
};

static int read_proc(const struct person *person, const char *file, struct proc_text *ret)
{
	char path[48];
	ssize_t n;

	snprintf(path, sizeof(path), "proc/%d/%s", person->pid, file);
	n = root_read(person->root, path, ret->data, sizeof(ret->data));
	return n < 0 ? (int)n : 0;
}

static void read_command(struct person *person)
{
	char path[48];

	snprintf(path, sizeof(path), "proc/%d/cmdline", person->pid);
	if (root_read_all(person->root, path, command_limit, &person->command) < 0)
		buf_reset(&person->command);
	buf_fit(&person->command); /* there may be a thousand of them */
}

/* Most belong to nobody in particular. */
static void read_owner(struct person *person, struct proc_text *text)
{
	static const struct owner nobody;
	struct owner owner = nobody;

	free(person->owner);
	person->owner = NULL;
	person->owner_error = read_proc(person, "cgroup", text);
	if (person->owner_error < 0)
		return;
	procfs_parse_cgroup(text->data, &owner);
	if (memcmp(&owner, &nobody, sizeof(owner)) == 0)
		return;
	person->owner = malloc(sizeof(owner));
	if (person->owner)
		*person->owner = owner;
	else
		person->owner_error = -ENOMEM;
}

/*
 * Base name of the executable. In a tree nothing tells whose file it is, and links of a
 * simulated process lead to the simulator: there it counts as not readable.
 */
static void read_exe(struct person *person)
{
	char path[48], text[PATH_MAX], *base, *end;
	ssize_t length;

	person->exe[0] = '\0';
	snprintf(path, sizeof(path), "proc/%d/exe", person->pid);
	length = person->root->live ? root_readlink(person->root, path, text, sizeof(text)) : -1;
	person->exe_read = length > 0;
	base = person->exe_read ? strrchr(text, '/') : NULL;
	if (!base)
		return;
	end = text + length - MIN((size_t)length, strlen(PROCFS_DELETED));
	if (end > base && strcmp(end, PROCFS_DELETED) == 0)
		*end = '\0';
	if (strlen(base + 1) < sizeof(person->exe))
		strcpy(person->exe, base + 1);
}

/* Is it the process it was, under the same name, and was that not long ago? */
static bool person_is_fresh(const struct person *person, const struct procfs_stat *before)
{
	return person->paced && person->read_ns &&
	       clock_now(CLOCK_MONOTONIC) - person->read_ns < paced_ns &&
	       before->start_ticks == person->stat.start_ticks &&
	       strcmp(before->comm, person->stat.comm) == 0;
}

/* Says nothing to those who may not inspect the process. */
static void read_mount_ns(struct person *person)
{
	struct stat st;
	char path[48];

	snprintf(path, sizeof(path), "proc/%d/ns/mnt", person->pid);
	person->mount_ns = root_stat(person->root, path, &st) < 0 ? 0 : st.st_ino;
}

static void read_rest(struct person *person)
{
	struct proc_text text;
	int r;

	person->status = (struct procfs_status){ 0 };
	person->wants_status = person_wants(person, PROC_UID) || person_wants(person, PROC_USER) ||
			       person_wants(person, PROC_NS_PID) || person->wants_role;
	if (person->wants_status) {
		r = read_proc(person, "status", &text);
		person->status_error = r < 0 ? r : procfs_parse_status(text.data, &person->status);
	}
	if (person_wants(person, PROC_OWNER))
		read_owner(person, &text);
	read_command(person);
	person->mount_ns = 0;
	if (person->wants_mount_ns)
		read_mount_ns(person);
	if (person->wants_role)
		read_exe(person);
}

void person_read(void *arg)
{
	struct person *person = arg;
	struct procfs_stat before = person->stat;
	struct proc_text text;
	int r;

	r = read_proc(person, "stat", &text);
	if (r >= 0)
		r = procfs_parse_stat(text.data, &person->stat);
	person->error = r;
	if (r < 0 || person_is_fresh(person, &before))
		return;
	read_rest(person);
	person->read_ns = clock_now(CLOCK_MONOTONIC);
}

void person_free(struct person *person)
{
	buf_done(&person->command);
	free(person->owner);
	free(person);
}
