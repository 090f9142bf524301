#include "daemon/table_search.h"

#include "basic/array.h"
#include "basic/file.h"
#include "basic/parse.h"
#include "basic/proc_path.h"
#include "proto/table.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* A process has one table, rarely a few, among its first descriptors; the search stops here. */
enum { TABLES_MAX = 16, LINKS_MAX = 65536 };

/* Processes searched concurrently. */
enum { BATCH = 64 };

struct process_search {
	struct job job;
	const struct root *root;
	pid_t pid;
	int directory; /* its fd directory */
	unsigned seen, n_found;
	struct found_table found[TABLES_MAX];
};

struct pid_list {
	pid_t *list;
	size_t count, room;
};

static void open_table(struct process_search *search, const char *name)
{
	CLEANUP_CLOSE int table = -1, pidfd = -1;
	struct found_table *found = &search->found[search->n_found];
	uint32_t number;

	if (parse_u32(name, &number) < 0 || number > INT32_MAX)
		return;
	table = file_open_memory(search->directory, name);
	if (table < 0 || peer_of_pid(search->pid, &found->peer, &pidfd) < 0)
		return;
	found->table = TAKE_FD(table);
	found->pidfd = TAKE_FD(pidfd);
	found->link = (int)number;
	search->n_found++;
}

static int visit_fd(const char *name, void *arg)
{
	struct process_search *search = arg;
	char link[sizeof(TABLE_LINK) + 1];

	if (++search->seen == LINKS_MAX)
		return 1;
	if (file_readlink(search->directory, name, link, sizeof(link)) < 0 ||
	    strcmp(link, TABLE_LINK) != 0)
		return 0;
	open_table(search, name);
	return search->n_found == TABLES_MAX;
}

static void process_run(void *arg)
{
	struct process_search *search = arg;
	char path[PROC_PATH_SIZE];

	proc_path(path, search->pid, "fd");
	search->directory = root_open(search->root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (search->directory < 0)
		return;
	(void)!directory_each(search->directory, ".", visit_fd, search); /* it may end meanwhile */
	close(search->directory);
}

static int visit_process(const char *name, void *arg)
{
	struct pid_list *pids = arg;
	pid_t *list;
	uint32_t pid;

	if (parse_u32(name, &pid) < 0 || pid > INT32_MAX || (pid_t)pid == getpid())
		return 0;
	list = array_grow(pids->list, pids->count, &pids->room, sizeof(*list));
	if (!list)
		return -ENOMEM;
	pids->list = list;
	list[pids->count++] = (pid_t)pid;
	return 0;
}

static int take_found(struct table_search *all, const struct process_search *search)
{
	struct found_table *grown;

	if (!search->n_found)
		return 0;
	grown = reallocarray(all->list, all->count + search->n_found, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	all->list = grown;
	memcpy(all->list + all->count, search->found, search->n_found * sizeof(*grown));
	all->count += search->n_found;
	return 0;
}

/* The memory of a job that hangs is not freed. */
static int search_batch(const struct root *root, struct worker_pool *workers, int64_t deadline_ns,
			const pid_t *pids, size_t count, struct table_search *ret)
{
	struct process_search *searches[BATCH];
	struct job *jobs[BATCH] = { NULL };
	int r = 0;

	for (size_t i = 0; i < count; i++) {
		searches[i] = calloc(1, sizeof(*searches[i]));
		if (!searches[i]) {
			count = i;
			r = -ENOMEM;
			break;
		}
		searches[i]->root = root;
		searches[i]->pid = pids[i];
		searches[i]->job = (struct job){ .run = process_run, .arg = searches[i] };
		jobs[i] = &searches[i]->job;
	}
	worker_pool_run(workers, jobs, count, deadline_ns);
	for (size_t i = 0; i < count; i++) {
		if (!job_is_done(workers, jobs[i]) && job_is_busy(workers, jobs[i]))
			continue;
		if (r >= 0)
			r = take_found(ret, searches[i]);
		free(searches[i]);
	}
	return r;
}

int table_search(const struct root *root, struct worker_pool *workers, int64_t deadline_ns,
		 struct table_search **ret)
{
	struct table_search *search = calloc(1, sizeof(*search));
	struct pid_list pids = { 0 };
	int r;

	*ret = search;
	if (!search)
		return -ENOMEM;
	r = root_each(root, "proc", visit_process, &pids);
	for (size_t at = 0; at < pids.count && r >= 0; at += BATCH)
		r = search_batch(root, workers, deadline_ns, pids.list + at,
				 MIN(pids.count - at, BATCH), search);
	free(pids.list);
	return r == -ENOENT ? 0 : r;
}

void table_search_free(struct table_search *search, bool close_them)
{
	if (!search)
		return;
	for (size_t i = 0; close_them && i < search->count; i++) {
		close(search->list[i].table);
		close(search->list[i].pidfd);
	}
	free(search->list);
	free(search);
}
