#include "daemon/adopt.h"

#include "basic/file.h"
#include "basic/parse.h"
#include "daemon/client.h"
#include "daemon/log.h"
#include "daemon/manager.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

/* A process has one table, rarely a few, among its first descriptors: nobody is searched further.
 */
enum { TABLES_MAX = 16, LINKS_MAX = 65536 };

struct search {
	struct manager *manager;
	pid_t pid;
	int directory;	      /* its fd directory */
	unsigned seen, found; /* in this process */
	unsigned adopted;
};

static void adopt_table(struct search *search, const char *name)
{
	CLEANUP_CLOSE int table = -1, pidfd = -1;
	struct client *client;
	struct peer peer;
	uint32_t number;
	int r;

	if (parse_u32(name, &number) < 0)
		return;
	table = file_open_memory(search->directory, name);
	if (table < 0)
		return;
	r = peer_of_pid(search->pid, &peer, &pidfd);
	if (r >= 0)
		r = client_new(search->manager, &peer, pidfd, table, NULL, (int)number, &client);
	if (r == -EUSERS)
		log_user(NULL, LOG_EXCEEDED,
			 "table of pid %d, uid %u not adopted: too many clients", peer.pid,
			 peer.uid);
	if (r < 0)
		return;
	TAKE_FD(pidfd);
	TAKE_FD(table);
	search->adopted++;
	log_user(client->user, LOG_PROGRAMS, "table of %s, pid %d, uid %u: found", peer.name,
		 peer.pid, peer.uid);
}

static int visit_fd(const char *name, void *arg)
{
	struct search *search = arg;
	char link[sizeof(TABLE_LINK) + 1];

	if (++search->seen == LINKS_MAX)
		return 1;
	if (file_readlink(search->directory, name, link, sizeof(link)) < 0 ||
	    strcmp(link, TABLE_LINK) != 0)
		return 0;
	adopt_table(search, name);
	return ++search->found == TABLES_MAX;
}

static int visit_process(const char *name, void *arg)
{
	struct search *search = arg;
	CLEANUP_CLOSE int directory = -1;
	char path[64];
	uint32_t pid;

	if (parse_u32(name, &pid) < 0 || pid > INT32_MAX || (pid_t)pid == getpid())
		return 0;
	snprintf(path, sizeof(path), "proc/%u/fd", pid);
	directory = root_open(&search->manager->root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0)
		return 0;
	search->pid = (pid_t)pid;
	search->directory = directory;
	search->seen = search->found = 0;
	(void)!directory_each(directory, ".", visit_fd, search); /* one that ends meanwhile */
	return 0;
}

unsigned adopt_tables(struct manager *manager)
{
	struct search search = { .manager = manager };
	int r = root_each(&manager->root, "proc", visit_process, &search);

	if (r < 0 && r != -ENOENT)
		log_line(LOG_FAULT, "cannot look through /proc: %s", strerror(-r));
	return search.adopted;
}
