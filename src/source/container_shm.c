#include "source/container_shm.h"

#include "basic/proc_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*
 * FILES_MAX: files per container, so that one cannot displace those of others. USER_MAX: mount
 * namespaces visited per user other than root; each one whose file system does not respond costs a
 * thread.
 */
enum { FILES_MAX = 64, USER_MAX = 32 };

static uint64_t mount_ns_of(const struct root *root, int32_t pid)
{
	struct stat st;
	char path[PROC_PATH_SIZE];

	proc_path(path, pid, "ns/mnt");
	return root_stat(root, path, &st) < 0 ? 0 : st.st_ino;
}

static int open_root(const struct container_shm *container, struct root *ret)
{
	char path[PROC_PATH_SIZE];
	int fd;

	proc_path(path, container->pid, "root");
	fd = root_open(container->root, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return fd;
	/* The pid may have been reused. */
	if (mount_ns_of(container->root, container->pid) != container->mount_ns) {
		close(fd);
		return -ESRCH;
	}
	*ret = (struct root){ .fd = fd, .confined = true };
	return 0;
}

static int read_files(struct container_shm *container, struct shm_folder *folder)
{
	container->files = calloc(MIN(folder->count, FILES_MAX) + 1, sizeof(*container->files));
	if (!container->files)
		return -ENOMEM;
	for (size_t i = 0; i < folder->count && container->count < FILES_MAX; i++)
		if (folder->files[i].kind == SHM_MEMORY)
			metal_file_read(folder, i, &container->files[container->count++]);
	return 0;
}

static int read_folder(struct container_shm *container, const struct root *root)
{
	struct shm_folder folder;
	int r;

	shm_folder_init(&folder, root);
	r = shm_folder_refresh(&folder);
	container->shared = r >= 0 && folder.stamp.device == container->own.device &&
			    folder.stamp.inode == container->own.inode;
	if (r >= 0 && !container->shared)
		r = read_files(container, &folder);
	shm_folder_done(&folder);
	return r;
}

/* The job. */
static void visit(void *arg)
{
	struct container_shm *container = arg;
	struct root root;

	container->error = open_root(container, &root);
	if (container->error < 0)
		return;
	container->error = read_folder(container, &root);
	root_done(&root);
}

static struct container_shm *find(const struct containers *containers, uint64_t mount_ns)
{
	for (size_t i = 0; i < containers->count; i++)
		if (containers->list[i]->mount_ns == mount_ns)
			return containers->list[i];
	return NULL;
}

static void container_free(struct container_shm *container)
{
	free(container->files);
	free(container);
}

static struct container_shm *add(struct containers *containers, uint64_t mount_ns)
{
	struct container_shm **grown =
		reallocarray(containers->list, containers->count + 1, sizeof(*grown));
	struct container_shm *container;

	if (!grown)
		return NULL;
	containers->list = grown;
	container = calloc(1, sizeof(*container));
	if (!container)
		return NULL;
	container->mount_ns = mount_ns;
	return grown[containers->count++] = container;
}

/* Frees those without processes, or all, except those whose job still runs. */
static void drop(struct containers *containers, struct worker_pool *workers, bool all)
{
	size_t kept = 0;

	for (size_t i = 0; i < containers->count; i++) {
		struct container_shm *container = containers->list[i];

		if ((container->visited && !all) || job_is_busy(workers, &container->job))
			containers->list[kept++] = container;
		else
			container_free(container);
	}
	containers->count = kept;
}

static size_t count_visited(const struct containers *containers, uint32_t uid)
{
	size_t count = 0;

	for (size_t i = 0; i < containers->count; i++)
		count += containers->list[i]->visited && containers->list[i]->uid == uid;
	return count;
}

/* The job of a visit. NULL: it must not run now. */
static struct job *prepare(struct container_shm *container, const struct containers *containers,
			   struct sample *sample, const struct process *process)
{
	if (container->visited ||
	    (process->uid && count_visited(containers, process->uid) >= USER_MAX))
		return NULL;
	container->visited = true;
	if (job_is_busy(sample->workers, &container->job))
		return NULL;
	free(container->files);
	container->files = NULL;
	container->count = 0;
	container->shared = false;
	container->root = sample->root;
	container->pid = process->pid;
	container->uid = process->uid;
	container->own = sample->shm->stamp;
	container->job = (struct job){ .run = visit, .arg = container };
	return &container->job;
}

/* Is it the mount namespace of this program? */
static bool is_own(struct containers *containers, const struct root *root, uint64_t mount_ns)
{
	if (!containers->own_mount_ns)
		containers->own_mount_ns = mount_ns_of(root, getpid());
	return mount_ns == containers->own_mount_ns;
}

static int prepare_all(struct containers *containers, struct sample *sample, struct job **jobs,
		       size_t *ret_count)
{
	const struct snapshot *snapshot = sample->snapshot;

	for (size_t i = 0; i < snapshot->n_processes; i++) {
		const struct process *process = &snapshot->processes[i];
		struct container_shm *container;
		struct job *job;

		if (!process->mount_ns || !process->n_usages ||
		    is_own(containers, sample->root, process->mount_ns))
			continue;
		container = find(containers, process->mount_ns);
		if (!container)
			container = add(containers, process->mount_ns);
		if (!container)
			return -ENOMEM;
		job = prepare(container, containers, sample, process);
		if (job)
			jobs[(*ret_count)++] = job;
	}
	return 0;
}

int containers_visit(struct containers *containers, struct sample *sample)
{
	CLEANUP_FREE struct job **jobs =
		calloc(sample->snapshot->n_processes + 1, sizeof(struct job *));
	size_t count = 0;
	int r;

	if (!jobs)
		return -ENOMEM;
	for (size_t i = 0; i < containers->count; i++)
		containers->list[i]->visited = false;
	r = prepare_all(containers, sample, jobs, &count);
	drop(containers, sample->workers, false);
	if (r < 0)
		return r;
	worker_pool_run(sample->workers, jobs, count, sample->deadline_ns);
	for (size_t i = 0; i < containers->count; i++)
		containers->list[i]->late =
			!job_is_done(sample->workers, &containers->list[i]->job);
	return 0;
}

const struct container_shm *containers_find(const struct containers *containers,
					    const struct process *process)
{
	return process->mount_ns ? find(containers, process->mount_ns) : NULL;
}

void containers_done(struct containers *containers, struct worker_pool *workers)
{
	drop(containers, workers, true);
	free(containers->list);
	*containers = (struct containers){ 0 };
}
