#include "daemon/link_check.h"

#include "basic/clock.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define DEADLINE (50 * NS_PER_MS)

struct link_check {
	struct job job;
	struct observed_link *links;
	size_t count;
	uint64_t *gone;
	size_t n_gone;
};

/* AT_STATX_DONT_SYNC: a file that replaced it may be on a file system that blocks. */
static bool link_is_there(const struct observed_link *link)
{
	struct statx st;
	char path[48];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", link->pid, link->number);
	return statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_INO, &st) == 0 &&
	       makedev(st.stx_dev_major, st.stx_dev_minor) == link->dev && st.stx_ino == link->ino;
}

static void check_run(void *arg)
{
	struct link_check *check = arg;

	for (size_t i = 0; i < check->count; i++) {
		if (!link_is_there(&check->links[i]))
			check->gone[check->n_gone++] = check->links[i].name;
	}
}

struct link_check *link_check_free(struct link_check *check)
{
	if (check) {
		free(check->links);
		free(check->gone);
		free(check);
	}
	return NULL;
}

uint64_t *links_check(struct link_check **check, struct worker_pool *workers,
		      struct observed_link *links, size_t count, size_t *ret_count)
{
	struct link_check *next;
	uint64_t *gone;
	struct job *job;

	*ret_count = 0;
	if (*check && !job_is_busy(workers, &(*check)->job))
		*check = link_check_free(*check);
	next = count && !*check ? calloc(1, sizeof(*next)) : NULL;
	if (!next) {
		free(links);
		return NULL;
	}
	*next = (struct link_check){
		.job = { .run = check_run, .arg = next },
		.links = links,
		.count = count,
		.gone = calloc(count, sizeof(uint64_t)),
	};
	job = &next->job;
	if (next->gone && !worker_pool_run(workers, &job, 1, DEADLINE)) {
		*check = next;
		return NULL;
	}
	gone = TAKE_PTR(next->gone);
	*ret_count = next->n_gone;
	link_check_free(next);
	return gone;
}
