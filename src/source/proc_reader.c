#include "source/proc_reader.h"

#include "basic/clock.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer than any command line: that is at most a quarter of the stack limit. */
static const size_t command_limit = 2 << 20;

/* At a low rate, what hardly ever changes in a process is read again after this time. */
static const int64_t paced_ns = 4900 * NS_PER_MS;

/* Large enough for a status or cgroup file of any machine seen, in one read. */
struct proc_text {
	char data[16384];
};

static int read_proc(const struct proc_reader *reader, const char *file, struct proc_text *ret)
{
	char path[48];
	ssize_t n;

	snprintf(path, sizeof(path), "proc/%d/%s", reader->pid, file);
	n = root_read(reader->root, path, ret->data, sizeof(ret->data));
	return n < 0 ? (int)n : 0;
}

static void read_command(struct proc_reader *reader)
{
	char path[48];

	snprintf(path, sizeof(path), "proc/%d/cmdline", reader->pid);
	if (root_read_all(reader->root, path, command_limit, &reader->command) < 0)
		buf_reset(&reader->command);
	buf_fit(&reader->command); /* there may be a thousand of them */
}

/* Most processes belong to no container, pod, job or unit. */
static void read_owner(struct proc_reader *reader, struct proc_text *text)
{
	static const struct owner none;
	struct owner owner = none;

	free(reader->owner);
	reader->owner = NULL;
	reader->owner_error = read_proc(reader, "cgroup", text);
	if (reader->owner_error < 0)
		return;
	procfs_parse_cgroup(text->data, &owner);
	if (memcmp(&owner, &none, sizeof(owner)) == 0)
		return;
	reader->owner = malloc(sizeof(owner));
	if (reader->owner)
		*reader->owner = owner;
	else
		reader->owner_error = -ENOMEM;
}

/*
 * Base name of the executable. In a tree the owner of the file is not recorded, and links of a
 * simulated process lead to the simulator: there it counts as unreadable.
 */
static void read_exe(struct proc_reader *reader)
{
	char path[48], text[PATH_MAX], *base, *end;
	ssize_t length;

	reader->exe[0] = '\0';
	snprintf(path, sizeof(path), "proc/%d/exe", reader->pid);
	length = reader->root->live ? root_readlink(reader->root, path, text, sizeof(text)) : -1;
	reader->exe_read = length > 0;
	base = reader->exe_read ? strrchr(text, '/') : NULL;
	if (!base)
		return;
	end = text + length - MIN((size_t)length, strlen(PROCFS_DELETED));
	if (end > base && strcmp(end, PROCFS_DELETED) == 0)
		*end = '\0';
	if (strlen(base + 1) < sizeof(reader->exe))
		strcpy(reader->exe, base + 1);
}

/* Is it still the same process with the same name, and was it read recently? */
static bool proc_reader_is_fresh(const struct proc_reader *reader, const struct procfs_stat *before)
{
	return reader->low_rate && reader->read_ns &&
	       clock_now(CLOCK_MONOTONIC) - reader->read_ns < paced_ns &&
	       before->start_ticks == reader->stat.start_ticks &&
	       strcmp(before->comm, reader->stat.comm) == 0;
}

/* Fails if we may not inspect the process. */
static void read_mount_ns(struct proc_reader *reader)
{
	struct stat st;
	char path[48];

	snprintf(path, sizeof(path), "proc/%d/ns/mnt", reader->pid);
	reader->mount_ns = root_stat(reader->root, path, &st) < 0 ? 0 : st.st_ino;
}

static void read_rest(struct proc_reader *reader)
{
	struct proc_text text;
	int r;

	reader->status = (struct procfs_status){ 0 };
	reader->wants_status = proc_reader_wants(reader, PROC_UID) ||
			       proc_reader_wants(reader, PROC_USER) ||
			       proc_reader_wants(reader, PROC_NS_PID) || reader->wants_role;
	if (reader->wants_status) {
		r = read_proc(reader, "status", &text);
		reader->status_error = r < 0 ? r : procfs_parse_status(text.data, &reader->status);
	}
	if (proc_reader_wants(reader, PROC_OWNER))
		read_owner(reader, &text);
	read_command(reader);
	reader->mount_ns = 0;
	if (reader->wants_mount_ns)
		read_mount_ns(reader);
	if (reader->wants_role)
		read_exe(reader);
}

void proc_reader_run(void *arg)
{
	struct proc_reader *reader = arg;
	struct procfs_stat before = reader->stat;
	struct proc_text text;
	int r;

	r = read_proc(reader, "stat", &text);
	if (r >= 0)
		r = procfs_parse_stat(text.data, &reader->stat);
	reader->error = r;
	if (r < 0 || proc_reader_is_fresh(reader, &before))
		return;
	read_rest(reader);
	reader->read_ns = clock_now(CLOCK_MONOTONIC);
}

void proc_reader_free(struct proc_reader *reader)
{
	buf_done(&reader->command);
	free(reader->owner);
	free(reader);
}
